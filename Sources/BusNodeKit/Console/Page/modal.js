// Dialogs in front of the page, and of each other.
import { $ } from "./elements.js";
import { placeNotices } from "./news.js";

let modals = []; // In the order of their opening, each with what had the focus before.

/** Opens a dialog; afterwards the focus returns to its element, or to that element's successor.
 *  Notices are in the dialog in front: what is behind it can be neither read nor pressed. */
export function openModal(dialog) {
  const before = document.activeElement;
  dialog.showModal();
  modals = [...modals.filter((each) => each.dialog !== dialog), { dialog, before }];
  placeNotices(dialog);
}

/** Moves notices and the focus back when a dialog is closed. A dialog that was opened again before
 *  it said so is in front. */
export function startModals() {
  document.addEventListener("close", ({ target }) => {
    const closed = modals.find(({ dialog }) => dialog === target && !dialog.open);
    if (!closed) return;
    modals = modals.filter((each) => each !== closed);
    const front = modals.findLast(({ dialog }) => dialog.open)?.dialog;
    placeNotices(front);
    const { before } = closed;
    if ($("toasts").contains(before)) before.focus();
    if (before.isConnected || !before.dataset.key) return;
    // What is behind another dialog takes no focus, and may have the same key.
    const place = front ?? document;
    place.querySelector(`[data-key="${CSS.escape(before.dataset.key)}"]`)?.focus();
  }, true);
}
