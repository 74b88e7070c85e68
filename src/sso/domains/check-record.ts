/**
 * The check of a claim's TXT record. The answer of a name server is hostile input: it is bounded, and never executed.
 */
import type { SsoDomainDoc } from "../../../storage/sso/domains.ts";
import type { App } from "../../app.ts";

/** Records of a name that are read. */
const maxRecords = 100;
/** Records that a message quotes, and characters of each. */
const quotedRecords = 3;
const quotedLength = 100;

/** `missing`: the domain's name servers say that there is no such record; `unreachable`: they gave no answer. */
export type RecordCheck =
  | { isFound: true }
  | { isFound: false; reason: "missing" | "unreachable"; message: string; found: string[] };

export const recordName = (domain: string) => `_svc-challenge.${domain}`;

/** Looks up the TXT record of a claim. Never throws for what DNS answers. */
export async function checkRecord(
  app: App,
  { domain, challenge }: Pick<SsoDomainDoc, "domain" | "challenge">,
): Promise<RecordCheck> {
  const name = recordName(domain);
  let records: string[];
  try {
    records = (await app.resolveTxt(name)).map((parts) => parts.join(""));
  } catch (error) {
    return failed(name, codeOf(error));
  }
  if (records.length > maxRecords)
    return {
      isFound: false,
      reason: "missing",
      message: `${name} has ${records.length} TXT records, and at most ${maxRecords} are read: remove the others.`,
      found: [],
    };
  if (records.some((record) => record.trim() === challenge)) return { isFound: true };
  const found = records.slice(0, quotedRecords).map(quote);
  const message =
    records.length === 0
      ? noRecord(name)
      : `${name} has a TXT record, but not the one of this claim: copy its value again. ` +
        "A name server may show a previous value for some time after a change.";
  return { isFound: false, reason: "missing", message, found };
}

const noRecord = (name: string) =>
  `${name} has no TXT record yet: add it at the provider of your DNS, then wait until its name servers have it.`;

function failed(name: string, code: string): RecordCheck {
  if (code === "ENOTFOUND" || code === "ENODATA")
    return { isFound: false, reason: "missing", message: noRecord(name), found: [] };
  const problem =
    code === "ETIMEOUT" || code === "ECANCELLED"
      ? "The name servers did not respond in time"
      : "The name servers gave no usable answer";
  const message = `${problem} when asked for ${name} (${code}): try again in a few minutes.`;
  return { isFound: false, reason: "unreachable", message, found: [] };
}

/** The code of an error of `node:dns`, without the text of the error. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[A-Z]{2,20}$/.test(code) ? code : "EUNKNOWN";
}

function quote(record: string): string {
  const text = record.slice(0, quotedLength).replace(/[^\x20-\x7e]/g, "?");
  return record.length > quotedLength ? `${text}…` : text;
}
