"""The settings page: every key of a stack file, from the models that read it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from cli.reference.markdown import anchor, any_of, code, generated, table
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import SETTINGS_KEY, Plain
from gpuplatform.standard import resources

Schema = Mapping[str, Plain]

_REFERENCE = "#/$defs/"
_OPTIONAL: Plain = {"type": "null"}

_PATTERNS = {
    r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$": "name: lower case letters, digits, hyphens",
    r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$": "label value: at most 63 letters, digits, `.`, `_`, `-`",
    r"^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$": "label key",
    r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+$": "ARN of an IAM role or user",
    r"^vpc-[0-9a-f]{8,17}$": "VPC id",
    r"^subnet-[0-9a-f]{8,17}$": "subnet id",
    r"^cr-[0-9a-f]{8,17}$": "capacity reservation id (`cr-…`)",
    r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)$": "`Mon`, `Tue`, `Wed`, `Thu`, `Fri`, `Sat` or `Sun`",
    r"^([01]\d|2[0-3]):[0-5]\d$|^24:00$": "time of day, `00:00` to `24:00`",
    r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$": "bucket name: 3 to 63 lower case letters, digits, `.`, `-`",
    r"^([A-Za-z0-9!_.'()-]+/)*$": "folders, each with its `/` behind it",
    r"^\S(.*\S)?$": "Kubernetes group: not empty, no space at its ends",
    r"^[a-z0-9]+([.-][a-z0-9]+)*$": "AWS service as in its endpoint's name, such as `ecr.api`",
    r"^[a-z]+\d-az\d+$": "zone id, such as `use1-az4`",
    r"^ws-[0-9a-f-]{36}$": "workspace id (`ws-…`)",
    r"^\d{12}$": "twelve digits, in quotes",
    r"^[a-z]{2}(-[a-z]+)+-\d$": "AWS region",
}
"""Patterns of the models in words; a pattern without an entry is printed as it is."""

EXAMPLE = f"""\
config:
  {SETTINGS_KEY}:
    environment: trial
    account_id: "111122223333"
    account: {{spot_service_linked_role: create}}
    region: us-east-1
    cluster:
      name: gpu-trial
      creator_arn: arn:aws:iam::111122223333:role/platform-runner
      endpoint: {{access: public, public_cidrs: [203.0.113.0/24]}}
      access_entries:
        - {{name: admins, principal_arn: "arn:aws:iam::111122223333:role/admin", level: admin}}
    network:
      new:
        cidr: 10.50.0.0/16
        zones: [{{name: us-east-1a, id: use1-az6}}, {{name: us-east-1b, id: use1-az1}}]
    pools:
      - name: infer
        purpose: infer
        cards:
          - card: L4-24GB
            instance_types: [g6.xlarge, g6.2xlarge]
            markets:
              - {{market: spot, ceiling_cards: 4}}
              - {{market: on-demand, ceiling_cards: 2}}
    tenants:
      - name: serving
        team: platform
        namespaces:
          - name: ml-serving
            environment: production
            quota: {{{resources.GPU}: 4}}
            priorities: [inference-critical]
            service_account: inference-server
    cost:
      monthly_floor_limit_usd: 600
      monthly_budget_usd: 5000
"""
"""A complete stack with one pool and one team; a test checks that it is accepted."""

_INTRODUCTION = f"""
All settings of one environment are in `Pulumi.<stack>.yaml` under `{SETTINGS_KEY}`. A key that is not on
this page is refused. Faults are reported all at once, each with its path, the value, what is allowed and what to
change:

```sh
.venv/bin/gpuplatform check --settings Pulumi.dev.yaml
```

The smallest useful stack:

```yaml
{EXAMPLE}```

Below, `pools[]` means each item of the list `pools`. A key without a default is required.
"""


@dataclass(frozen=True, slots=True)
class _Section:
    paths: tuple[str, ...]
    """Where the model is used; the first is the heading."""
    schema: Schema

    @property
    def heading(self) -> str:
        return self.paths[0]


def page() -> str:
    """The page ``settings.md``."""
    root = cast(Schema, Settings.model_json_schema())
    definitions = cast(Mapping[str, Schema], root["$defs"])
    sections = _sections(root, definitions)
    texts = [generated("Settings", "gpuplatform/settings"), _INTRODUCTION]
    texts += [_section(section, sections, definitions) for section in sections.values()]
    return "".join(texts)


def _sections(root: Schema, definitions: Mapping[str, Schema]) -> dict[str, _Section]:
    """Every model by its name, in the order in which a reader of a stack file meets it."""
    sections = {"": _Section(("Top level",), root)}

    def visit(prefix: str, schema: Schema) -> None:
        for key, field in _fields(schema).items():
            for name, is_list in _models(field, definitions):
                path = f"{prefix}{key}{'[]' if is_list else ''}"
                if name in sections:
                    sections[name] = _Section((*sections[name].paths, path), definitions[name])
                    continue
                sections[name] = _Section((path,), definitions[name])
                visit(f"{path}.", definitions[name])

    visit("", root)
    return sections


def _section(section: _Section, sections: Mapping[str, _Section], definitions: Mapping[str, Schema]) -> str:
    heading, *further_paths = section.paths
    other_paths = f" Also at {', '.join(map(code, further_paths))}." if further_paths else ""
    required = cast(list[Plain], section.schema.get("required", []))
    rows = [
        (
            code(key),
            _value_text(field, sections, definitions),
            "required" if key in required else _default(field, definitions),
            _meaning(field, definitions),
        )
        for key, field in _fields(section.schema).items()
    ]
    title = heading if section.schema.get("$defs") else code(heading)
    about = f"{section.schema['description']}{other_paths}"
    return f"\n## {title}\n\n{about}\n\n{table(('key', 'value', 'default', 'meaning'), rows)}"


def _value_text(field: Schema, sections: Mapping[str, _Section], definitions: Mapping[str, Schema]) -> str:
    """What a field may hold, in words."""
    if (name := _name(field)) is not None:
        if name in sections:
            heading = sections[name].heading
            return f"[{code(heading)}](#{anchor(heading)})"
        return _value_text(definitions[name], sections, definitions)
    if "anyOf" in field:
        choices = [choice for choice in cast(list[Plain], field["anyOf"]) if choice != _OPTIONAL]
        return any_of(_value_text(cast(Schema, choice), sections, definitions) for choice in choices)
    if "const" in field:
        return code(str(field["const"]))
    if "enum" in field:
        return any_of(code(str(choice)) for choice in cast(list[Plain], field["enum"]))
    match field["type"]:
        case "array":
            return f"{_list_text(field)}: {_value_text(cast(Schema, field['items']), sections, definitions)}"
        case "object":
            values = cast(Schema, field["additionalProperties"])
            return f"mapping of names; each: {_value_text(values, sections, definitions)}"
        case "boolean":
            return "`true` or `false`"
        case "string":
            return _string_text(field)
        case kind:
            return ("whole number" if kind == "integer" else "number") + _range(field)


def _list_text(field: Schema) -> str:
    minimum, maximum = field.get("minItems"), field.get("maxItems")
    if minimum is not None and maximum is not None:
        return f"list of {minimum} to {maximum}"
    return "list" if minimum is None else f"list of at least {minimum}"


def _string_text(field: Schema) -> str:
    pattern = field.get("pattern")
    text = "text" if pattern is None else _PATTERNS.get(str(pattern), f"text that matches {code(str(pattern))}")
    max_length = field.get("maxLength")
    return text if max_length is None else f"{text}; at most {max_length} characters"


def _range(field: Schema) -> str:
    minimum, exclusive_minimum, maximum = (field.get(key) for key in ("minimum", "exclusiveMinimum", "maximum"))
    if minimum is not None and maximum is not None:
        return f", {minimum} to {maximum}"
    bounds = {"at least": minimum, "more than": exclusive_minimum, "at most": maximum}
    return "".join(f", {words} {bound}" for words, bound in bounds.items() if bound is not None)


def _default(field: Schema, definitions: Mapping[str, Schema]) -> str:
    value = field["default"]
    if value is None or value == "":
        return "none"
    if isinstance(value, dict) and any(_models(field, definitions)):
        return "its defaults"
    if isinstance(value, list):
        return ", ".join(code(str(item)) for item in value) or "none"
    if isinstance(value, dict):
        return "none"
    return code(value if isinstance(value, str) else json.dumps(value))


def _meaning(field: Schema, definitions: Mapping[str, Schema]) -> str:
    """The field's own docstring, else that of the type that it holds."""
    description = field.get("description")
    if description is not None:
        return str(description)
    inner = cast(Schema, field.get("items", field))
    name = _name(inner) or next((model for model, _ in _models(field, definitions)), None)
    return str(definitions[name].get("description", "")) if name else ""


def _fields(schema: Schema) -> Mapping[str, Schema]:
    return cast(Mapping[str, Schema], schema.get("properties", {}))


def _name(field: Schema) -> str | None:
    reference = field.get("$ref")
    return None if reference is None else str(reference).removeprefix(_REFERENCE)


def _models(field: Schema, definitions: Mapping[str, Schema]) -> Iterator[tuple[str, bool]]:
    """The models that a field holds, each with whether it holds a list of them."""
    is_list = "items" in field
    inner = cast(Schema, field.get("items", field))
    for choice in (inner, *cast(list[Schema], inner.get("anyOf", []))):
        name = _name(choice)
        if name is not None and "properties" in definitions[name]:
            yield name, is_list
