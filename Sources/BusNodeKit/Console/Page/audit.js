// The audit: events with their authors, newest first, searched by the server.
import { el, foreign, presentationLink, timeOf } from "./elements.js";
import { AUDIT_MAX } from "./address.js";
import { pastList } from "./past-list.js";
import { auditText } from "./sentences.js";
import { shown } from "./text.js";

const ids = {
  box: "auditQuery", help: "auditHelp", chips: "auditChips", note: "auditNote",
  count: "auditCount", rows: "audit", pages: "auditPages", exports: "auditExports",
  exportsText: "auditExportsText", file: "audit",
};

const list = pastList("audit", ids, {
  page: 200, max: AUDIT_MAX, of: "event", nothing: "Nothing has happened yet.",
  listOf: ({ events }) => events, rowOf: line,
});

export const { start: startAudit, draw: drawAudit, load: loadAudit, onKey: onAuditKey } = list;

function line({ time, event, id, ...said }) {
  return el("tr", {},
    el("td", {}, timeOf(time)),
    el("td", { textContent: shown(event, 40) }),
    el("td", {}, foreign("span", auditText(said))),
    el("td", {}, id && presentationLink(id, 8)));
}
