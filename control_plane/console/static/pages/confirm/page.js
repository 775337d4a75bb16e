/** Waits until the person has opened the link in their mail. */

import { repeat } from "../../core/repeat.js";
import { tags } from "../../core/elements.js";
import { navigate } from "../../core/router.js";
import { loadSession, logOut, session } from "../../core/session.js";

const { button, h1, p } = tags;
const ASK_EVERY_MS = 3000;

async function look() {
  await loadSession();
  if (session()?.user?.email_confirmed !== false) navigate("/console", { replace: true });
}

async function leave() {
  await logOut();
  navigate("/console/log-in");
}

export async function page({ signal }) {
  repeat(look, ASK_EVERY_MS, signal);
  return [
    h1("Look into your mailbox"),
    p("We have sent a mail to ", session().user.email, ". Open its link, and this page goes on."),
    p(
      { class: "quiet" },
      "Nothing there? Log out and in again to get another mail. Without a mail server, an " +
        "installation of your own shows the link in the terminal in which it was started.",
    ),
    button({ type: "button", onclick: leave }, "Log out"),
  ];
}
