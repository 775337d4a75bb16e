/** What a person does to something: asked first if it is grave, then done, shown and told. */

import { refreshHere } from "../core/router.js";
import { confirmed } from "./dialog.js";
import { report, tell } from "./notices.js";

async function done(work, told, then) {
  const answer = await work();
  await then(answer);
  tell(told, answer);
}

/**
 * Does `work`, shows the page again, and says `told`, which may be a function of the answer.
 *
 * @param then what shows the result; by default the page again if it is still there.
 * @returns whether it was done. What went wrong is said.
 */
export async function act(work, told = null, then = refreshHere()) {
  try {
    await done(work, told, then);
    return true;
  } catch (error) {
    report(error);
    return false;
  }
}

/** What a form submits: as `act`, but what went wrong is left to the form. */
export const saving = (work, told = null) => (given) => done(() => work(given), told, refreshHere());

/** `[title, explanation, words of the button]`, and then as `act`. */
export async function actIfConfirmed(question, ...rest) {
  return (await confirmed(...question)) && act(...rest);
}
