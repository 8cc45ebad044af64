// The audit: events with their authors, newest first, searched by the server.
import { $, el, foreign, presentationLink, redraw, timeOf } from "./elements.js";
import { AUDIT_MAX } from "./address.js";
import { api } from "./api.js";
import { inTurn } from "./frame.js";
import { auditText } from "./sentences.js";
import { state } from "./state.js";
import { counted, number, shown } from "./text.js";
import { searchAudit } from "./views.js";

const SHOWN_MAX = 200;

export function startAudit() {
  const field = $("auditQuery");
  field.dataset.max = AUDIT_MAX;
  field.addEventListener("input", () => searchAudit(field.value));
}

/** Reads the events that match. */
export const loadAudit = inTurn(async () => {
  const query = state.audited;
  const page = await api("GET", `audit?limit=${SHOWN_MAX}&q=${encodeURIComponent(query)}`);
  const { events, limitMax } = page;
  if (query !== state.audited) return; // A later search comes.
  const count = countText(events.length, query);
  // A screen reader may say again what is set again.
  if ($("auditCount").textContent !== count) $("auditCount").textContent = count;
  $("auditCount").classList.toggle("quiet", events.length === 0);
  $("audit").closest(".wide").hidden = events.length === 0;
  redraw($("audit"), [query, events.length, events[0], events.at(-1)], () => events.map(line));
  $("auditExports").hidden = events.length === 0;
  if (events.length > 0) offerExports(query, limitMax);
});

/** All that matches, as far as the server gives it at a time. */
function offerExports(query, limit) {
  $("auditExportsText").textContent = `Export what matches, the newest ${number(limit)} at most:`;
  for (const format of ["csv", "json"]) {
    const search = new URLSearchParams({ limit, q: query, format });
    $(`audit-${format}`).href = `/api/v1/audit?${search}`;
  }
}

function countText(count, query) {
  if (count === SHOWN_MAX) return `the newest ${SHOWN_MAX}`;
  if (count > 0) return counted(count, "event");
  return query ? "No event matches the search." : "Nothing has happened yet.";
}

function line({ time, event, id, ...said }) {
  return el("tr", {},
    el("td", {}, timeOf(time)),
    el("td", { textContent: shown(event, 40) }),
    el("td", {}, foreign("span", auditText(said))),
    el("td", {}, id && presentationLink(id, 8)));
}
