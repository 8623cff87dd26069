"""Classes whose bases lie outside of the tree: what is in sight is not taken for theirs."""

from __future__ import annotations

import pytest

from ..programs import calls

LANGUAGES = {
    "java": {
        "Door.java": """
            package house;
            import vendor.Lock;
            class Door extends Lock {
                void shut() { Bell.ring(); new Bell(); refresh(); turnKey(); }
                void watch() { new Lock() { void opened() { shut(); Bell.ring(); hashCode(); } }; }
                public int hashCode() { return 1; }
            }
            """,
        "Bell.java": "package house;\nclass Bell { Bell() {} static void ring() {} }\n",
        "Other.java": "package house;\nclass Other { void refresh() {} void turnKey() {} }\n",
    },
    "cs": {
        "Door.cs": """
            using Vendor;
            namespace House {
              class Door : Lock {
                void Shut() { Bell.Ring(); new Bell(); Refresh(); }
              }
              class Bell { public Bell() {} public static void Ring() {} }
              class Other { public void Refresh() {} }
            }
            """
    },
}


def test_visible_class_is_not_taken_for_a_member_of_an_external_base() -> None:
    """A class in sight is that class also where a base, of which nothing is known, might have one
    of that name."""
    assert calls(LANGUAGES["java"]) >= {
        ("Door.java:Door.shut", "Bell.java:Bell.ring"),
        ("Door.java:Door.shut", "Bell.java:Bell.Bell"),
        ("Door.java:Door.watch.<anonymous>.opened", "Bell.java:Bell.ring"),
    }
    assert calls(LANGUAGES["cs"]) == {
        ("Door.cs:Door.Shut", "Door.cs:Bell.Ring"),
        ("Door.cs:Door.Shut", "Door.cs:Bell.Bell"),
    }


def test_anonymous_object_with_an_external_base_calls_outer_methods() -> None:
    """An object in place whose base lies outside calls the methods of the class around it."""
    assert ("Door.java:Door.watch.<anonymous>.opened", "Door.java:Door.shut") in calls(
        LANGUAGES["java"]
    )


@pytest.mark.parametrize("name", ["hashCode", "refresh", "turnKey"])
def test_what_a_base_outside_has_is_not_sought_elsewhere(name: str) -> None:
    """Methods that every object has stay its own; those of no class around are not guessed."""
    assert not [one for one in calls(LANGUAGES["java"]) if one[1].endswith(f".{name}")]
