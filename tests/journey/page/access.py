"""Whether a screen hinders anybody: axe-core, in light and dark, wide and narrow; the focus on its way."""

from typing import Literal

from playwright.sync_api import Page

WIDTHS = {1440: 900, 390: 844, 320: 640}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FIND_BARRIERS = """async () => {
  const {violations} = await axe.run({resultTypes: ['violations'], rules: {'target-size': {enabled: true}}});
  return violations.flatMap(({id, nodes}) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}"""
FOCUSED = """() => {
  const found = document.activeElement;
  const {outlineStyle, outlineWidth} = getComputedStyle(found);
  const {left, top, width, height} = found.getBoundingClientRect();
  const seen = found.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  return [found.innerText.split('\\n')[0].trim(), outlineStyle, outlineWidth, seen];
}"""


def check_access(page: Page, axe: str) -> None:
    """Find nothing with axe-core on the screen that is there, in light and dark, wide and narrow."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"() => {{ {axe} }}")
    before = page.viewport_size
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found = page.evaluate(FIND_BARRIERS)
            assert found == [], (page.locator("h1").inner_text(), width, scheme)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, "scrolls sideways")
    page.emulate_media(color_scheme="light")
    if before is not None:
        page.set_viewport_size(before)


def focus_path(page: Page, steps: int) -> list[str]:
    """Press Tab so often; give what had the focus, each with a ring to be seen and with nothing over it."""
    path = []
    for _ in range(steps):
        page.keyboard.press("Tab")
        text, style, width, seen = page.evaluate(FOCUSED)
        assert (style, width, seen) == ("solid", "3px", True), text
        path.append(str(text))
    return path
