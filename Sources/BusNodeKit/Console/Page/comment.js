// Why a person answers so: a text that goes with the answer.
import { el, foreign, kbd } from "./elements.js";
import { OVER } from "./sentences.js";
import { state } from "./state.js";

const BYTES_MAX = 2048;

// One element for every frame: what is typed stays in it, and the cursor where it is.
const field = el("textarea", {
  id: "comment", rows: 1, dir: "auto",
  dataset: { key: "comment", max: BYTES_MAX, unit: "bytes" },
});
let group = null; // What is typed is for one group of one life of the console.

const groupOf = (item) => `${state.startedAt} ${item.group}`;

/** The field for an answer; empty for another group. */
export function commentField(item) {
  if (group !== groupOf(item)) field.value = "";
  group = groupOf(item);
  return labelled("Comment, goes with your answer ", kbd("m"));
}

/** The field for what was answered or ended while a person typed: the rest must not act as keys of
 *  the page. Null where no person does. */
export const endedCommentField = (item) => (
  document.activeElement === field && group === groupOf(item)
    ? labelled(`It is ${OVER}: this comment is not sent `) : null);

const labelled = (...words) => el("label", { className: "comment" }, ...words, field);

/** What is typed for an answer to this; null for nothing. */
export const typedComment = (item) =>
  (group === groupOf(item) && /\S/.test(field.value) ? field.value : null);

/** A comment was sent: another answer has another one. */
export function dropComment(sent) {
  if (field.value === sent) field.value = "";
}

/** Why an answer was given; nothing without a comment. */
export const commentOf = (answer) =>
  answer?.comment && foreign("p", answer.comment, { className: "foreign said" });
