/** Lists that act at once when something is chosen, without a form. */

import { listOf } from "./fields.js";

/**
 * Calls `work` when a choice is made in `node`. Arrow keys may change a closed list at each step: then the choice is
 * made with Enter, or by going on.
 */
export function whenChosen(node, work) {
  let isStep = false;
  let isChanged = false;

  function settle() {
    const wasChanged = isChanged;
    isStep = isChanged = false;
    if (wasChanged) work();
  }

  node.addEventListener("keydown", ({ key, altKey }) => {
    if (key === "Enter") settle();
    // These open the list, and what is chosen there is a choice.
    else isStep = key !== " " && !altKey;
  });
  node.addEventListener("pointerdown", () => (isStep = false));
  node.addEventListener("focusout", settle);
  node.addEventListener("change", () => {
    isChanged = true;
    if (!isStep) settle();
  });
  return node;
}

/**
 * A list that saves what is chosen.
 *
 * @param choices as `listOf` takes them.
 * @param save gets the value, and resolves to whether it is saved; otherwise `value` is shown again.
 */
export function savingChoice(name, value, choices, save) {
  const list = listOf(choices, { value, "aria-label": name });
  return whenChosen(list, async () => {
    if (list.value !== value && !(await save(list.value))) list.value = value;
  });
}
