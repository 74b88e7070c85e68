/** The effects of a server on the member's machine and values, for the decision to install it. */
import { memberValues } from "../../contract/mcp-entries/server.ts";
import type { ListedServer } from "../api/calls/mcp.ts";
import { escapeLine } from "../terminal/escape-control.ts";
import { shellWord } from "../terminal/shell-word.ts";

/** Sentences with the command and its variables, or with the address that gets the values. */
export function describeEffects(server: ListedServer): string[] {
  const { tenantSlug, slug, transport, command = "", args, env, url = "" } = server;
  const ref = `${tenantSlug}/${slug}`;
  if (transport !== "stdio") {
    const receives = memberValues(server).length > 0 ? ", which gets the values that you supply" : "";
    return [escapeLine(`${ref} is at ${url}${receives}`)];
  }
  const line = [command, ...args].map(shellWord).join(" ");
  // They can name an address, or the code that a program loads.
  const fixed = env.flatMap((one) => (one.kind === "fixed" ? [`${one.name}=${shellWord(one.value)}`] : []));
  return [
    escapeLine(`${ref} runs this command on your machine: ${line}`),
    ...(fixed.length === 0 ? [] : [escapeLine(`${ref} runs with these variables: ${fixed.join(" ")}`)]),
  ];
}
