// A list of the past that the server searches, newest first: the history, and the audit. Its
// search, its pages and its export.
import { $, el, redraw } from "./elements.js";
import { addressOf } from "./address.js";
import { api, Refusal } from "./api.js";
import { FILTER_MAX, textOf } from "./filter.js";
import { inTurn } from "./frame.js";
import { say } from "./news.js";
import { SEARCHES } from "./past-filter.js";
import { state } from "./state.js";
import { termBox } from "./term-box.js";
import { counted, number, shown } from "./text.js";
import { searchPast } from "./views.js";

/**
 * The list of a view. `ids` are those of its elements; `file` is the beginning of those of the
 * links that export it. A page has up to `page` of them, `of` is the name of one, `max` the length
 * of a search's text. `listOf` takes the list out of a reply, `rowOf` makes a row, and `refusalOf`
 * words a refusal.
 *
 * The result starts, draws and loads the list; `onKey` is for a key in the search's box, and
 * returns whether it was for the box alone.
 */
export function pastList(tab, ids, {
  page, max = FILTER_MAX, of, nothing, listOf, rowOf, refusalOf = ({ message }) => message,
}) {
  const search = SEARCHES[tab];
  const now = () => state.searches[tab];
  let told = null; // The search whose result was said last, with its refusal.
  const place = (wanted) => addressOf(tab, null, { ...wanted, filter: textOf(wanted) });
  const box = termBox($(ids.box), $(ids.chips), "search", {
    max, now, known: search.termOf, isApplied: search.isApplied,
    change: ({ terms = now().terms, ...change }, isTyped) =>
      searchPast(tab, { ...change, terms: search.lastOfKinds(terms) }, isTyped),
  });

  function start() {
    $(ids.help).textContent = `It understands text, ${search.help}. Of each kind of term the last `
      + "one counts. Backspace in the empty box removes the last term.";
  }

  function draw() {
    if (state.isPressing) return;
    const home = place({ ...now(), before: null });
    const link = document.querySelector(`[data-tab=${tab}]`);
    if (link.getAttribute("href") !== home) link.setAttribute("href", home);
    if (state.tab !== tab) return;
    box.draw();
    const note = search.notes(now());
    $(ids.note).hidden = !note;
    if ($(ids.note).textContent !== note) $(ids.note).textContent = note;
  }

  /** Reads the page of the list that the address names. */
  const load = inTurn(async () => {
    const wanted = { ...now() };
    let read;
    try {
      read = await api("GET", `${tab}?${search.query(wanted, page)}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      read = { next: null, problem: refusalOf(error) };
    }
    // Else a later search comes.
    if (JSON.stringify(wanted) === JSON.stringify(now())) show(wanted, read);
  });

  function show(wanted, read) {
    const found = listOf(read) ?? [];
    const { next, limitMax, problem } = read;
    const count = problem ? shown(problem, 400) : countText(found.length, next, wanted);
    if ($(ids.count).textContent !== count) $(ids.count).textContent = count;
    tell(JSON.stringify([wanted, problem]), count);
    $(ids.count).classList.toggle("quiet", found.length === 0);
    $(ids.rows).closest(".wide").hidden = found.length === 0;
    redraw($(ids.rows), found, () => found.map(rowOf));
    const newest = wanted.before && pageLink("Newest", { ...wanted, before: null });
    const older = next && pageLink("Older ›", { ...wanted, before: next });
    redraw($(ids.pages), [newest?.href, older?.href], () => [newest, older]);
    $(ids.exports).hidden = found.length === 0;
    if (found.length > 0) offerExports(wanted, limitMax);
  }

  /** Says to a screen reader what a search has found, and when a refusal begins or ends: not each
   *  event that comes by itself. */
  function tell(asked, count) {
    if (state.tab !== tab || told === asked) return;
    told = asked;
    say(count);
  }

  /** All that matches, as far as the server gives it at a time. */
  function offerExports(wanted, limit) {
    const all = search.query({ ...wanted, before: null }, limit);
    $(ids.exportsText).textContent = `Export what matches, the newest ${number(limit)} at most:`;
    for (const format of ["csv", "json"]) {
      $(`${ids.file}-${format}`).href = `/api/v1/${tab}?${all}&format=${format}`;
    }
  }

  const pageLink = (textContent, wanted) => el("a", {
    className: "button", textContent, href: place(wanted), dataset: { key: textContent },
  });

  function countText(count, next, wanted) {
    if (next) return wanted.before ? `the next ${number(count)}` : `the newest ${number(count)}`;
    if (count > 0 && wanted.before) return `the last ${number(count)}`;
    if (count > 0) return counted(count, of);
    return textOf(wanted) || wanted.before ? `No ${of} matches the search.` : nothing;
  }

  return { start, draw, load, onKey: box.onKey };
}
