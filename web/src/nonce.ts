import { setNonce } from "get-nonce";

/** Nonce of this page's Content-Security-Policy. Only the property has it: browsers hide the attribute. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
// Dialogs and drawers lock scrolling with a style element, whose nonce get-nonce provides.
setNonce(nonce);
