// The address of a part of the page: the view, what is chosen in the inbox, and what is listed.
import { FILTER_MAX } from "./filter.js";
import { SHOWS, SORTS } from "./state.js";
import { lengthOf } from "./text.js";

/** The most characters that the server searches the audit for. */
export const AUDIT_MAX = 200;
/** The views with a list of the past. */
const PAST = ["history", "audit"];

/** The address; of the inbox with the filter, the order and what is listed, where they are not the
 *  ordinary ones, of the history and the audit with what they are searched for and where their
 *  pages end. */
export function addressOf(tab, key, { filter, sort, show, before }) {
  const path = key ? `#/${tab}/${encodeURIComponent(key)}` : `#/${tab}`;
  const [isInbox, isPast] = [tab === "inbox", PAST.includes(tab)];
  const query = new URLSearchParams();
  if ((isInbox || isPast) && filter) query.set("filter", filter);
  if (isInbox && sort !== SORTS[0]) query.set("sort", sort);
  if (isInbox && show !== SHOWS[0]) query.set("show", show);
  if (isPast && before) query.set("before", before);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** The parts of an address, with the ordinary ones in place of what is missing or unknown. */
export function readAddress(hash) {
  const end = hash.indexOf("?");
  const [path, text] = end < 0 ? [hash, ""] : [hash.slice(0, end), hash.slice(end + 1)];
  const [, tab = "inbox", key] = path.split("/");
  const query = new URLSearchParams(text);
  const filter = query.get("filter") ?? "";
  const max = tab === "audit" ? AUDIT_MAX : FILTER_MAX;
  const isTooLong = lengthOf(filter) > max;
  return {
    tab, key: key ? decoded(key) : null, isTooLong, max, filter: isTooLong ? "" : filter,
    sort: known(query.get("sort"), SORTS), show: known(query.get("show"), SHOWS),
    before: query.get("before"),
  };
}

const known = (name, names) => (names.includes(name) ? name : names[0]);

function decoded(key) {
  try { return decodeURIComponent(key); } catch { return key; }
}
