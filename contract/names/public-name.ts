/** Names of people in Git objects: they are served and copied to repositories of customers, and can't be taken back. */

/**
 * An e-mail address, with the full-width forms of @ that mail programs accept. Names are short, so the search is fast.
 */
const address = /[<("']?[^\s<>@＠﹫]+[@＠﹫][^\s<>@＠﹫]+[>)"']?/g;

/** A name with e-mail addresses removed; empty if nothing else is left. */
export function publicName(name: string): string {
  return name.replace(address, " ").replace(/\s+/g, " ").trim();
}
