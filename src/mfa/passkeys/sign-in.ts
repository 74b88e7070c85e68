/** Sign-in with a passkey alone: it proves that its holder has the device and is its owner. */
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { countingFailures } from "../../auth/count-sign-in.ts";
import { accountSuspended } from "../../auth/credentials.ts";
import { clientFacts } from "../../auth/known-clients.ts";
import { requirePasskeys } from "../../auth/relying-party.ts";
import { completeSignIn, type SignedIn } from "../../auth/sign-in.ts";
import type { RequestInfo } from "../../http/route.ts";
import type { PasskeyAssertion } from "../schema.ts";
import { browserBinding } from "./challenge.ts";
import { badPasskey, verifyPasskey } from "./verify.ts";

/** Signs in. An unknown passkey and a wrong signature have one error: `invalid_credentials`. */
export async function signInByPasskey(
  app: App,
  actor: Actor,
  passkey: PasskeyAssertion,
  request: RequestInfo,
): Promise<SignedIn> {
  requirePasskeys(app);
  const { deviceSecret } = clientFacts(app, actor, request);
  const user = await countingFailures("passkey", async () => {
    const found = await app.storage.users.findByPasskey(passkey.id);
    if (!found || deviceSecret === undefined || !passkey.response.userHandle) throw badPasskey();
    await verifyPasskey(app, found, passkey, browserBinding(deviceSecret));
    return found;
  });
  if (user.suspended) throw accountSuspended();
  return completeSignIn(app, user, actor, request, ["passkey"]);
}
