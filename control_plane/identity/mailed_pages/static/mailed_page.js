/**
 * A page that a mail links to: sends the token from the address and a password to the API's route in
 * `data-route`, and says what happened in the words of the form's other `data-` attributes.
 */

const form = document.querySelector("form");
const outcome = document.getElementById("outcome");
const token = new URLSearchParams(location.search).get("token");

function say(text, failed) {
  outcome.dataset.failed = String(failed);
  outcome.textContent = text;
}

/** What went wrong, from the API's problem document (RFC 9457). */
function wordsFor(problem, retryAfter) {
  switch (problem.code) {
    case "invalid_token":
      return form.dataset.invalidToken;
    case "invalid_credentials":
      return form.dataset.invalidCredentials;
    case "too_many_attempts":
      return `Too many attempts. Try again in ${Math.ceil(Number(retryAfter) / 60)} minutes.`;
    case "invalid_request": {
      const wrong = problem.errors?.find(({ field }) => field === "password");
      return wrong ? `The password ${wrong.message}.` : form.dataset.invalidToken;
    }
    default:
      return problem.detail ?? "Something went wrong. Try again.";
  }
}

async function send() {
  const password = document.getElementById("password").value || undefined;
  const answer = await fetch(form.dataset.route, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, password }),
  });
  const answered = await answer.json();
  if (!answer.ok) {
    say(wordsFor(answered, answer.headers.get("Retry-After")), true);
    return;
  }
  form.hidden = true;
  say(form.dataset.done, false);
  document.getElementById("onward").hidden = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  say("", false);
  try {
    await send();
  } catch {
    say("The server did not answer. Try again.", true);
  } finally {
    button.disabled = false;
  }
});

if (!token) {
  form.hidden = true;
  say(form.dataset.invalidToken, true);
}
