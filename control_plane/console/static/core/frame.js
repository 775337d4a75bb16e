/** What stands around every page: the pages' links, the tenant, the person. */

import { savingChoice } from "../components/choice.js";
import { icon } from "../components/icon.js";
import { NAVIGATION } from "../pages/navigation.js";
import { api } from "./api.js";
import { bell, silence } from "./bell.js";
import { a, button, div, fill, li, p, span, tags, ul } from "./elements.js";
import { leaveFor } from "./router.js";
import { enter, logOut, mayAdminister, session } from "./session.js";

const { aside, header, main, nav } = tags;

const root = () => document.getElementById("frame");

let shownFor = null;

const switchTenant = (id) =>
  leaveFor("/console", async () => enter(await api.post("/v1/auth/switch-tenant", { tenant_id: id })));

/** Ends the session. */
export const leave = () => leaveFor("/console/log-in", logOut);

function tenantChoice(me) {
  if (me.tenants.length < 2) return p({ class: "tenant-name", dir: "auto" }, me.tenant.name);
  return savingChoice("Tenant", me.tenant.id, me.tenants, switchTenant);
}

function isAt(path, pathname) {
  return pathname === path || (path !== "/console" && pathname.startsWith(`${path}/`));
}

function links(pathname) {
  const shown = NAVIGATION.filter(([, , , isForAdministrators]) => !isForAdministrators || mayAdminister());
  return shown.map(([path, words, name]) =>
    li(a({ href: path, "aria-current": isAt(path, pathname) ? "page" : null }, icon(name), words)),
  );
}

function menuButton(side) {
  const toggle = () => {
    const isOpen = side.classList.toggle("open");
    shown.setAttribute("aria-expanded", String(isOpen));
  };
  const shown = button(
    { type: "button", class: "menu", "aria-expanded": "false", "aria-controls": "side", onclick: toggle },
    icon("menu"),
    span({ class: "hidden-words" }, "Menu"),
  );
  return shown;
}

function build(me) {
  const content = main({ id: "content", tabindex: "-1" });
  const side = aside(
    { id: "side" },
    div({ class: "tenant" }, tenantChoice(me)),
    nav({ "aria-label": "Console" }, ul()),
    div(
      { class: "person" },
      a({ href: "/console/account" }, icon("person"), span({ class: "cut" }, me.user?.name || me.user?.email)),
      button({ type: "button", class: "plain", onclick: leave }, icon("leave"), "Log out"),
    ),
  );
  const brand = a({ href: "/console", class: "brand" }, "Switchboard");
  fill(root(), header({ class: "top" }, menuButton(side), brand, bell()), side, content);
}

/** The place of a page's content, with the frame around it. */
export function frame(pathname) {
  const me = session();
  if (shownFor !== me) {
    build(me);
    shownFor = me;
  }
  const side = document.getElementById("side");
  fill(side.querySelector("nav ul"), links(pathname));
  side.classList.remove("open");
  root().querySelector(".menu").setAttribute("aria-expanded", "false");
  root().className = "framed";
  const content = document.getElementById("content");
  content.className = "";
  return content;
}

/** The place of a page that stands alone. */
export function withoutFrame(isWide) {
  shownFor = null;
  silence();
  root().className = isWide ? "alone wide" : "alone";
  const content = main({ id: "content", tabindex: "-1" });
  fill(root(), p({ class: "brand" }, "Switchboard"), content);
  return content;
}
