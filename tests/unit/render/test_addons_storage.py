from gpuplatform.render.addons import storage_class
from gpuplatform.render.stack import render
from gpuplatform.standard import names
from tests.builders import some_settings


def test_a_claim_that_names_no_class_gets_an_encrypted_gp3_volume_beside_its_pod() -> None:
    made = storage_class()
    assert made["metadata"] == {
        "name": names.STORAGE_CLASS,
        "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
    }
    assert made["provisioner"] == "ebs.csi.aws.com"
    assert made["parameters"] == {"type": "gp3", "encrypted": "true"}
    assert made["volumeBindingMode"] == "WaitForFirstConsumer"
    assert made["allowVolumeExpansion"] is True
    assert made["reclaimPolicy"] == "Delete"


def test_it_is_among_the_stacks_documents() -> None:
    assert storage_class() in render(some_settings()).documents
