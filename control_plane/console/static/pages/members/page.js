/** Who belongs to the tenant, and who is invited. */

import { badge } from "../../components/badge.js";
import { confirmed, openDialog } from "../../components/dialog.js";
import { choiceField, textField } from "../../components/fields.js";
import { formOf } from "../../components/form.js";
import { icon } from "../../components/icon.js";
import { report, tell } from "../../components/notices.js";
import { pageHead } from "../../components/page_head.js";
import { tableOf } from "../../components/table.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { ago, dateTime, sentence } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { loadSession, mayAdminister, session } from "../../core/session.js";

const { button, div, h2, option, p, section, select } = tags;
const MOST = 200;

/** Only an owner makes owners. */
const roles = () => (session().role === "owner" ? ["member", "admin", "owner"] : ["member", "admin"]);

async function done(work, words) {
  try {
    await work();
    await refresh();
    tell(words);
  } catch (error) {
    report(error);
    await refresh();
  }
}

async function invite() {
  const invited = await openDialog("Invite somebody", (close) => {
    const fields = [
      textField("email", "Mail address", { type: "email", required: true }),
      choiceField("role", "Role", roles().map((role) => [role, sentence(role)]), {
        hint: "Admins also manage members and keys.",
      }),
    ];
    const send = async (given) => close(await api.post("/v1/invitations", given));
    const cancel = button({ type: "button", onclick: () => close() }, "Cancel");
    return formOf(fields, send, { words: "Send the invitation", extra: [cancel] });
  });
  if (!invited) return;
  await refresh();
  tell(invited.invite_sent ? `A mail is on its way to ${invited.email}` : `${invited.email} is invited, but no mail could be sent`);
}

function roleCell(member) {
  const isSelf = member.user_id === session().user?.id;
  const mayChange = mayAdminister() && !isSelf && (member.role !== "owner" || session().role === "owner");
  if (!mayChange) return sentence(member.role);
  const change = (event) => {
    const body = { role: event.target.value };
    return done(() => api.patch(`/v1/members/${member.user_id}`, body), `${member.email} is ${body.role} now`);
  };
  const choices = roles().map((role) => option({ value: role }, sentence(role)));
  return select({ onchange: change, value: member.role, "aria-label": `Role of ${member.email}` }, choices);
}

async function remove(member) {
  const words = `${member.email} loses access to this tenant at once.`;
  if (!(await confirmed("Remove this member?", words, "Remove"))) return;
  await done(() => api.delete(`/v1/members/${member.user_id}`), `${member.email} is removed`);
}

async function leave() {
  const words = "You lose access to its agents and calls at once.";
  if (!(await confirmed(`Leave ${session().tenant.name}?`, words, "Leave"))) return;
  try {
    await api.delete("/v1/members/me");
    await loadSession();
    await refresh();
  } catch (error) {
    report(error);
  }
}

function memberActions(member) {
  if (member.user_id === session().user?.id)
    return button({ type: "button", class: "small", onclick: leave }, "Leave");
  const mayRemove = mayAdminister() && (member.role !== "owner" || session().role === "owner");
  return mayRemove && button({ type: "button", class: "small", onclick: () => remove(member) }, "Remove");
}

const MEMBER_COLUMNS = [
  { words: "Member", kind: "main long", cell: (row) => (row.name ? [row.name, p({ class: "quiet" }, row.email)] : row.email) },
  { words: "Role", cell: roleCell },
  { words: "Since", kind: "when", cell: (row) => dateTime(row.joined_at) },
  { words: "", kind: "actions", cell: memberActions },
];

const INVITATION_COLUMNS = [
  { words: "Mail address", kind: "main long", cell: (row) => row.email },
  { words: "Role", cell: (row) => sentence(row.role) },
  { words: "State", cell: (row) => badge(row.status) },
  { words: "Sent", kind: "when", cell: (row) => ago(row.sent_at) },
  {
    words: "",
    kind: "actions",
    cell: (row) =>
      ["pending", "expired"].includes(row.status) &&
      div(
        { class: "buttons" },
        button({ type: "button", class: "small", onclick: () => done(() => api.post(`/v1/invitations/${row.id}/resend`), "Sent again") }, "Send again"),
        button({ type: "button", class: "small", onclick: () => done(() => api.delete(`/v1/invitations/${row.id}`), "The invitation is withdrawn") }, "Withdraw"),
      ),
  },
];

export async function page({ signal }) {
  const isAdministrator = mayAdminister();
  const [{ members }, { invitations }] = await Promise.all([
    api.get("/v1/members", { limit: MOST }, signal),
    isAdministrator ? api.get("/v1/invitations", { limit: MOST }, signal) : { invitations: [] },
  ]);
  return [
    pageHead("Members", {
      about: session().tenant.name,
      actions: isAdministrator && button({ type: "button", class: "primary", onclick: invite }, icon("plus"), "Invite"),
    }),
    tableOf("Members", MEMBER_COLUMNS, members, "No members."),
    invitations.length > 0 && section({ class: "sections" }, h2("Invitations"), tableOf("Invitations", INVITATION_COLUMNS, invitations, "")),
  ];
}
