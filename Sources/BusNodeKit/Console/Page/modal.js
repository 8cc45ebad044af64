// Dialogs in front of the page, and of each other.
import { $ } from "./elements.js";
import { placeNotices } from "./news.js";

let modals = []; // In the order of their opening; some may be closed.

/** Opens a dialog; afterwards the focus returns to its element, or to that element's successor.
 *  Notices are in the dialog in front: what is behind it can be neither read nor pressed. */
export function openModal(dialog) {
  const before = document.activeElement;
  dialog.showModal();
  modals = [...modals.filter((each) => each.open && each !== dialog), dialog];
  placeNotices(dialog);
  dialog.addEventListener("close", () => {
    placeNotices(modals.findLast((each) => each.open));
    if ($("toasts").contains(before)) before.focus();
    if (before.isConnected || !before.dataset.key) return;
    document.querySelector(`[data-key="${CSS.escape(before.dataset.key)}"]`)?.focus();
  }, { once: true });
}
