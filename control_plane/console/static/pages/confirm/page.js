/** Waits until the person has opened the link in their mail. */

import { leave } from "../../core/frame.js";
import { h1, loadSession, navigate, p, press, quiet, repeat, session } from "../../kit.js";

const ASK_EVERY_MS = 3000;

async function look() {
  await loadSession();
  if (session()?.user?.email_confirmed !== false) navigate("/console", { replace: true });
}

export async function page({ signal }) {
  repeat(look, ASK_EVERY_MS, signal);
  return [
    h1("Look into your mailbox"),
    p("We have sent a mail to ", session().user.email, ". Open its link, and this page goes on."),
    quiet(
      "Nothing there? Log out and in again to get another mail. Without a mail server, an " +
        "installation of your own shows the link in the terminal in which it was started.",
    ),
    press("Log out", leave),
  ];
}
