import type { SignUpMode } from "../../contract/vocabulary.ts";
import type { App } from "../app.ts";

/** Who can create an account now. An administrator's choice precedes the configuration. */
export async function signUpMode(app: App): Promise<SignUpMode> {
  return (await app.storage.serviceSettings.find())?.signUp ?? app.config.signUp;
}
