// The history: what the journal has of presentations, newest first, searched by the server.
import { $, el, redraw, timeOf } from "./elements.js";
import { addressOf } from "./address.js";
import { api, Refusal } from "./api.js";
import { textOf } from "./filter.js";
import { inTurn } from "./frame.js";
import {
  isPastApplied, lastOfKinds, PAST_TERMS, pastNotes, pastQuery, pastTerm,
} from "./past-filter.js";
import { MARKS } from "./row.js";
import { state } from "./state.js";
import { endingOf } from "./store.js";
import { termBox } from "./term-box.js";
import { answerText, counted, fromText, headingOf, LINE_MAX, number, shown } from "./text.js";
import { searchPast } from "./views.js";

const PAGE = 100;
const LEFT = "left open";

const box = termBox($("pastQuery"), $("pastChips"), "search", {
  now: () => state.search, known: pastTerm, isApplied: isPastApplied,
  change: ({ terms = state.search.terms, ...change }, isTyped) =>
    searchPast({ ...change, terms: lastOfKinds(terms) }, isTyped),
});

/** A key in the search's box; whether it was for the box alone. */
export const onPastKey = (event) => box.onKey(event);

export function startHistory() {
  $("pastHelp").textContent = `It understands text, ${PAST_TERMS}. Of each kind of term the last `
    + "one counts. Backspace in the empty box removes the last term.";
}

const place = (search) => addressOf("history", null, { ...search, filter: textOf(search) });

export function drawHistory() {
  if (state.isPressing) return;
  const home = place({ ...state.search, before: null });
  const link = document.querySelector("[data-tab=history]");
  if (link.getAttribute("href") !== home) link.setAttribute("href", home);
  if (state.tab !== "history") return;
  box.draw();
  const note = pastNotes(state.search);
  $("pastNote").hidden = !note;
  if ($("pastNote").textContent !== note) $("pastNote").textContent = note;
}

/** Reads the page of the history that the address names. */
export const loadHistory = inTurn(async () => {
  const search = { ...state.search };
  let page;
  try {
    page = await api("GET", `history?${pastQuery(search, PAGE)}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    page = { presentations: [], next: null, problem: refusalOf(error) };
  }
  // Else a later search comes.
  if (JSON.stringify(search) === JSON.stringify(state.search)) show(search, page);
});

const refusalOf = ({ message, answer }) => (answer?.error === "notKept"
  ? "This node has no journal, so it keeps no history." : message);

function show(search, { presentations, next, limitMax, problem }) {
  const count = problem ? shown(problem, 400) : countText(presentations.length, next, search);
  // A screen reader may say again what is set again.
  if ($("pastCount").textContent !== count) $("pastCount").textContent = count;
  $("pastCount").classList.toggle("quiet", presentations.length === 0);
  $("past").closest(".wide").hidden = presentations.length === 0;
  redraw($("past"), presentations, () => presentations.map(line));
  const newest = search.before && pageLink("Newest", { ...search, before: null });
  const older = next && pageLink("Older ›", { ...search, before: next });
  redraw($("pages"), [newest?.href, older?.href], () => [newest, older]);
  $("exports").hidden = presentations.length === 0;
  if (presentations.length > 0) offerExports(search, limitMax);
}

/** All that matches, as far as the server gives it at a time. */
function offerExports(search, limit) {
  const all = pastQuery({ ...search, before: null }, limit);
  $("exportsText").textContent = `Export what matches, the newest ${number(limit)} at most:`;
  for (const format of ["csv", "json"]) {
    $(`export-${format}`).href = `/api/v1/history?${all}&format=${format}`;
  }
}

const pageLink = (textContent, search) => el("a", {
  className: "button", textContent, href: place(search), dataset: { key: textContent },
});

function countText(count, next, search) {
  if (next) return search.before ? `the next ${number(count)}` : `the newest ${number(count)}`;
  if (count > 0 && search.before) return `the last ${number(count)}`;
  if (count > 0) return counted(count, "presentation");
  return textOf(search) || search.before ? "No presentation matches the search."
    : "Nothing has been presented yet.";
}

function line(past) {
  const stage = past.stage === "left" ? LEFT : past.stage;
  const [ending, tone] = endingOf({ ...past, ending: past.ending ?? stage });
  return el("tr", {},
    el("td", {}, timeOf(past.openedAt)),
    el("td", {}, el("span", { className: `badge ${tone}`, textContent: shown(ending, 40) })),
    el("td", {}, el("div", { className: "entry" },
      el("span", {
        className: `mark ${past.severity}`, textContent: MARKS[past.severity] ?? "?", role: "img",
        ariaLabel: `${past.severity}:`,
      }),
      el("a", {
        href: `#/inbox/${encodeURIComponent(past.id)}`, className: "title", dir: "auto",
        textContent: shown(headingOf(past), 300), dataset: { key: `past ${past.id}` },
      }),
      el("span", { className: "soft foreign", textContent: shown(fromText(past), 200) }))),
    el("td", {
      className: "foreign",
      textContent: past.option ? answerText(past, shown(past.option, 60), LINE_MAX) : "",
    }));
}
