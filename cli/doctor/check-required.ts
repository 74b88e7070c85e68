import { countText } from "../../contract/text/count-text.ts";
import { listText } from "../../contract/text/list-text.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { missingRequired } from "../install/pins/required-skills.ts";
import { openSession } from "../state/session.ts";
import { type Check, ok, warning } from "./check.ts";

const name = "required";
const named = 5;

/** Check of the skills that the user's organizations require. */
export async function checkRequired(context: Context): Promise<Check> {
  const { client, config, profile } = await openSession(context);
  try {
    const missing = await missingRequired(client.options, config.profiles[profile]);
    if (missing.length === 0) return ok(name, "No required skill is missing.");
    const first = missing.slice(0, named).map(({ tenantSlug, slug }) => `${tenantSlug}/${slug}`);
    const more = missing.length > named ? [`${missing.length - named} more`] : [];
    const count = countText(missing.length, "required skill is", "required skills are");
    return warning(name, `${count} not installed: ${listText([...first, ...more])}.`, "Run svc pull --team.");
  } catch (error) {
    // A service of an earlier version requires nothing, and a narrowed token may not be told.
    if (error instanceof CliError && ["E_NOT_FOUND", "E_FORBIDDEN"].includes(error.code))
      return ok(name, "This login does not know of required skills.");
    throw error;
  }
}
