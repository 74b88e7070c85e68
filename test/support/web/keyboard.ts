/** Steps of a person without a mouse. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { drawn } from "./drawn.ts";

const maxPresses = 80;
const hasFocus = async (target: Locator) => (await target.and(target.page().locator(":focus")).count()) > 0;

/** Presses Tab, or another key, until the element has the focus. Fails if it can't be reached. */
export async function tabTo(target: Locator, by = "Tab"): Promise<void> {
  // The inputs of segmented controls have no size.
  await target.waitFor({ state: "attached" });
  const { keyboard } = target.page();
  for (let presses = 0; presses < maxPresses; presses++) {
    if (await hasFocus(target)) return;
    await keyboard.press(by);
  }
  assert.fail(`${maxPresses} presses of ${by} do not reach ${String(target)}`);
}

/** Goes to a field, and types in place of its content. */
export async function typeInto(target: Locator, text: string): Promise<void> {
  await tabTo(target);
  const { keyboard } = target.page();
  await keyboard.press("Control+a");
  await keyboard.type(text);
}

/** Goes to a button, link or choice, and presses a key there. */
export async function press(target: Locator, key = "Enter"): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press(key);
}

/** Chooses an option of the list that is open, which closes it. Options that arrive later clear the mark. */
export async function choose(page: Page, option: string | RegExp): Promise<void> {
  const target = page.getByRole("option", { name: option });
  // The inputs of segmented controls have no size.
  await target.waitFor({ state: "attached" });
  // A timer that was set as the list opened marks the current choice.
  await drawn(page);
  const marked = target.and(page.locator("[data-combobox-selected]"));
  const closes = () =>
    target.waitFor({ state: "hidden", timeout: 20_000 }).then(
      () => true,
      () => false,
    );
  for (let presses = 0; presses < maxPresses; presses++) {
    if ((await marked.count()) === 0) await page.keyboard.press("ArrowDown");
    else {
      await page.keyboard.press("Enter");
      if (await closes()) return;
    }
  }
  assert.fail(`${maxPresses} presses do not choose ${String(option)}`);
}
