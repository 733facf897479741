import email
from email.message import Message

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.render.node_classes import user_data

NODE_CONFIG = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet: {}\n"
SHELL = "#!/bin/bash\nset -e\necho '--- not a boundary ---'\n"


def parts(text: str) -> list[Message]:
    message = email.message_from_string(text)
    assert message.is_multipart()
    assert message.defects == []
    return [part for part in message.walk() if not part.is_multipart()]


def content(part: Message) -> str:
    payload = part.get_payload()
    assert isinstance(payload, str)
    return payload


@pytest.mark.parametrize(
    ("node_config", "shell", "types"),
    [
        (NODE_CONFIG, None, ["application/node.eks.aws"]),
        (None, SHELL, ["text/x-shellscript"]),
        (NODE_CONFIG, SHELL, ["application/node.eks.aws", "text/x-shellscript"]),
    ],
)
def test_each_part_is_a_mime_part_of_its_own_type(node_config: str | None, shell: str | None, types: list[str]) -> None:
    mime_parts = parts(user_data((node_config,), (shell,)))
    assert [part.get_content_type() for part in mime_parts] == types
    assert [content(part).rstrip("\n") for part in mime_parts] == [
        text.rstrip("\n") for text in (node_config, shell) if text is not None
    ]


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])), st.text("abc \n-=", max_size=60))
def test_what_goes_in_comes_out(node_config: str, shell: str) -> None:
    mime_parts = parts(user_data((node_config,), (shell,)))
    assert [content(part).rstrip("\n") for part in mime_parts] == [node_config.rstrip("\n"), shell.rstrip("\n")]


def test_node_configs_keep_their_order_because_nodeadm_lets_the_later_one_win() -> None:
    mime_parts = parts(user_data(("kind: first", None, "kind: second"), (SHELL,)))
    assert [content(part).rstrip("\n") for part in mime_parts[:2]] == ["kind: first", "kind: second"]
