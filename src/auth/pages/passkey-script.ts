/**
 * Script of the sign-in pages: offers passkeys, also as autofill of the address field. It is inline, with the nonce of
 * the page, and the pages work without it. It reads the element `passkey`, which names the path to return to and, in
 * the second step, the ticket.
 */
import { html, type Html } from "../../http/pages/html.ts";

/** The tag by another name: the formatter would lay the script out as HTML, which breaks it. */
const script = html;

export const passkeyScript: Html = script`
const place = document.getElementById("passkey");
const { returnTo, ticket } = place.dataset;
const status = place.querySelector("[role=status]");
const toBytes = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/[+]/g, "-").replace(/[/]/g, "_").replace(/=+$/, "");
let waiting;

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ticket === undefined ? body : { ...body, ticket }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer.data;
}

async function signIn(mediation) {
  waiting?.abort();
  const own = (waiting = new AbortController());
  const options = await post("/api/auth/passkeys/options", {});
  const credential = await navigator.credentials.get({
    mediation,
    signal: own.signal,
    publicKey: {
      ...options,
      challenge: toBytes(options.challenge),
      allowCredentials: options.allowCredentials.map((one) => ({ ...one, id: toBytes(one.id) })),
    },
  });
  const { clientDataJSON, authenticatorData, signature, userHandle } = credential.response;
  const passkey = {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    response: {
      clientDataJSON: toText(clientDataJSON),
      authenticatorData: toText(authenticatorData),
      signature: toText(signature),
      userHandle: userHandle ? toText(userHandle) : null,
    },
  };
  status.textContent = "Signing in…";
  await post(ticket === undefined ? "/api/auth/passkeys/sign-in" : "/api/auth/mfa/verify", { passkey });
  location.assign(returnTo);
}

function tryTo(mediation) {
  status.textContent = "";
  signIn(mediation).catch((error) => {
    const isCancelled = error.name === "AbortError" || error.name === "NotAllowedError";
    status.textContent = isCancelled ? "" : error.message;
  });
}

async function start() {
  if (!window.PublicKeyCredential) return;
  place.hidden = false;
  place.querySelector("button").addEventListener("click", () => tryTo("optional"));
  if (ticket !== undefined) return;
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  tryTo("conditional");
  // A challenge is valid for five minutes.
  setInterval(() => document.visibilityState === "visible" && tryTo("conditional"), 240000);
}
void start();
`;
