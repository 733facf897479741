from gpuplatform.standard.labels import Purpose, Role
from gpuplatform.standard.markets import Market
from gpuplatform.standard.selection import Selection, matches


def test_a_selection_that_leaves_card_and_market_open_names_purpose_role_and_partition() -> None:
    open_selection = Selection(Purpose.INFER, Role.WORKER, None, None, None, None)
    assert open_selection.as_labels() == {"gpu.pool": "infer", "gpu.role": "worker", "gpu.mig": "disabled"}


def test_a_selection_of_one_card_on_one_market_names_them() -> None:
    closed = Selection(Purpose.TRAIN, Role.CHIEF, "3g.40gb", "H100", "80gb", Market.ON_DEMAND)
    assert closed.as_labels() == {
        "gpu.pool": "train",
        "gpu.role": "chief",
        "gpu.mig": "enabled",
        "gpu.mig.profile": "3g.40gb",
        "gpu.model": "H100",
        "gpu.mem": "80gb",
        "karpenter.sh/capacity-type": "on-demand",
    }


def test_an_attribute_profile_is_selected_by_its_label_value() -> None:
    assert Selection(Purpose.DEV, Role.WORKER, "1g.10gb+me", None, None, None).as_labels()["gpu.mig.profile"] == (
        "1g.10gb.me"
    )


def test_a_node_answers_when_it_has_every_label_and_may_have_more() -> None:
    selector = {"gpu.pool": "infer", "gpu.mig": "disabled"}
    assert matches(selector, {**selector, "gpu.model": "L4"})
    assert matches({}, {})
    assert not matches(selector, {"gpu.pool": "infer"})
    assert not matches(selector, {"gpu.pool": "infer", "gpu.mig": "enabled"})
