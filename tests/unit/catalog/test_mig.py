from gpuplatform.catalog.mig import card_of_device, geometries, geometry, parse_device, parse_profile, unplaced


def test_the_cards_that_the_platform_promises_to_cut_all_have_a_geometry() -> None:
    assert set(geometries()) == {
        "A30-24GB",
        "A100-40GB",
        "A100-80GB",
        "H100-80GB",
        "H100-94GB",
        "H100-96GB",
        "H200-141GB",
        "GH200-144GB",
        "B200-180GB",
        "GB200-186GB",
        "B300-269GB",
        "GB300-278GB",
        "RTX-PRO-6000-96GB",
    }


def test_a_card_without_mig_and_a_card_without_published_placements_have_no_geometry() -> None:
    assert geometry("L4-24GB") is None
    assert geometry("RTX-PRO-4500-32GB") is None
    assert "1g.16gb" in unplaced()["RTX-PRO-4500-32GB"]


def test_the_same_profile_name_means_different_slices_on_the_two_a100() -> None:
    small, large = geometries()["A100-40GB"].profile("1g.10gb"), geometries()["A100-80GB"].profile("1g.10gb")
    assert small is not None
    assert large is not None
    assert (small.memory_slices, small.max_instances, small.profile_id) == (2, 4, 15)
    assert (large.memory_slices, large.max_instances, large.profile_id) == (1, 7, 19)


def test_a_card_lacks_the_profiles_of_another_cards_memory() -> None:
    assert geometries()["A100-40GB"].profile("3g.40gb") is None


def test_no_placement_runs_past_the_end_of_its_card() -> None:
    for card in geometries().values():
        for profile in card.profiles:
            assert max(profile.placements) + profile.memory_slices <= card.memory_slices, (card.card, profile.name)
            assert list(profile.placements) == sorted(set(profile.placements))


def test_every_profile_names_its_slices_memory_and_attribute_as_its_figures_do() -> None:
    for card in geometries().values():
        for profile in card.profiles:
            parsed = parse_profile(profile.name)
            assert parsed is not None
            assert parsed.compute_instances is None
            assert (parsed.compute_slices, parsed.memory_gb, parsed.attribute) == (
                profile.compute_slices,
                profile.memory_gb,
                profile.attribute,
            )


def test_every_figure_says_where_it_comes_from_and_when_it_was_read() -> None:
    for card in geometries().values():
        assert all("placements" in profile.source and "read 20" in profile.source for profile in card.profiles)


def test_profile_names_follow_the_grammar_of_mig_parted() -> None:
    parsed = parse_profile("1c.3g.20gb")
    assert parsed is not None
    assert (parsed.compute_instances, parsed.compute_slices, parsed.memory_gb) == (1, 3, 20)
    for wrong in (
        "",
        "1g",
        "1g.10",
        "1g.10GB",
        "0g.5gb",
        "1g.10gb+",
        "1g.10gb+you",
        "1g.10gb.me",
        " 1g.10gb",
        "1g.10gb\n",
    ):
        assert parse_profile(wrong) is None, wrong


def test_device_ids_lead_to_their_card_in_either_case_and_with_a_subsystem() -> None:
    assert card_of_device("0x20B210DE") == "A100-80GB"
    assert card_of_device("0x20b010de") == "A100-40GB"
    assert card_of_device("0x233510DE:0x18BE10DE") == "H200-141GB"
    assert card_of_device("0x1EB810DE") is None, "a T4 has no MIG"
    assert parse_device("20B210DE") is None


def test_every_device_id_belongs_to_one_card() -> None:
    ids = [device_id for card in geometries().values() for device_id in card.device_ids]
    assert len(ids) == len(set(ids))
    assert all(
        card_of_device(device_id) == card.card for card in geometries().values() for device_id in card.device_ids
    )
    assert all(card.device_ids for card in geometries().values())
