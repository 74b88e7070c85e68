/** Values of variables in files, as container platforms mount secrets: `NAME_FILE` names the file that has `NAME`. */
import { readFileSync, statSync } from "node:fs";

/** Variables that hold a secret, or an address with credentials. */
export const secretNames = [
  "MONGODB_URL",
  "REDIS_URL",
  "SECRET_KEYS",
  "SMTP_URL",
  "OPERATOR_WEBHOOK_URL",
  "OPERATOR_WEBHOOK_SECRET",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "GITHUB_APP_PRIVATE_KEY",
  "GITHUB_WEBHOOK_SECRETS",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
] as const;

const maxBytes = 64 * 1024;

type Given = Record<string, string | undefined>;

/** The environment with the values of such files, and what is wrong with some of them, one sentence each. */
export function withSecretFiles(given: Given): { values: Given; faults: string[] } {
  const values = { ...given };
  const faults: string[] = [];
  for (const name of secretNames) {
    const file = given[`${name}_FILE`];
    // Platforms make variables of files as well, with the line break at their end.
    values[name] = given[name]?.trimEnd() || undefined;
    if (file === undefined) continue;
    if (given[name] !== undefined) faults.push(`${name} and ${name}_FILE are both set: unset one of them`);
    else
      try {
        values[name] = readSecret(file);
      } catch (error) {
        faults.push(`${name}_FILE can't be used: ${(error as Error).message}`);
      }
  }
  return { values, faults };
}

/** Without the line break that editors and shells add at the end. */
function readSecret(file: string): string {
  if (statSync(file).size > maxBytes) throw new Error(`${file} has more than ${maxBytes / 1024} kB`);
  const text = readFileSync(file, "utf8").trimEnd();
  if (text === "") throw new Error(`${file} is empty`);
  return text;
}
