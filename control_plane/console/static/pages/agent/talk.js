/** A call with the agent, on the call page in a frame. */

import { api, buttons, card, fill, formOf, linkButton, p, parts, quiet, session, tags } from "../../kit.js";

/** The call page, which joins the call that was just made. */
function callFrame({ id, participants }) {
  const token = participants[0].access.token;
  const frame = tags.iframe({
    class: "talk",
    title: "Call with the agent",
    allow: "microphone; autoplay",
    src: `/call#${new URLSearchParams({ call: id, token })}`,
  });
  frame.addEventListener("load", () => {
    // The person has pressed a button already, and it stands for the frame's.
    frame.contentDocument.getElementById("start").click();
  });
  return frame;
}

export async function tab({ agent }) {
  const place = parts();
  if (!agent.published_version) {
    const publish = linkButton(`/console/agents/${agent.id}/publish`, "Publish it", "primary");
    return card("Publish it first", p("Calls use the published version."), buttons(publish));
  }
  const begin = async () => {
    const identity = session().user?.email ?? "console";
    const call = await api.post("/v1/calls", {
      agent_id: agent.id,
      participants: [{ transport: "webrtc", identity }],
      metadata: { from: "console" },
    });
    const read = linkButton(`/console/calls/${call.id}`, "Read this call");
    fill(place, callFrame(call), buttons(read, startForm("Call again")));
  };
  const startForm = (words) => formOf([], begin, { words });
  const about = `A call with version ${agent.published_version}, in this page. It costs what any call costs. The browser asks for the microphone.`;
  return fill(place, card(`Talk to ${agent.name}`, quiet(about), startForm("Start the call")));
}
