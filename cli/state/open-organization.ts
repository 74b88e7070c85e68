import { type Organization, chooseOrganization } from "../api/choose-organization.ts";
import type { Client } from "../api/client.ts";
import type { Context } from "../context.ts";
import { openSession } from "./session.ts";

/** The service, and the organization that `chooseOrganization` selects by `--org` or a question; throws as it does. */
export async function openOrganization(
  context: Context,
  { org }: { org?: string },
  question: string,
): Promise<{ client: Client; organization: Organization }> {
  const { client } = await openSession(context);
  return { client, organization: await chooseOrganization(context, client, org, question) };
}
