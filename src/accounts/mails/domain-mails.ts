/** Texts of the mails to owners about the domains of their organization. */
import type { MailDue } from "../../../storage/users/users.ts";
import type { App } from "../../app.ts";
import type { MailText } from "../../mail/compose.ts";

/** Warns of a verification that lapses. */
export function domainFailing(app: App, { domain }: MailDue): MailText | undefined {
  if (!domain) return undefined;
  const { name, record, organization, lapsesAt } = domain;
  const until = lapsesAt ? ` on ${lapsesAt.toISOString().slice(0, 10)}` : "";
  return {
    subject: `The DNS record of ${name} was not found`,
    before: [
      `The organization "${organization}" has verified the domain ${name} by a TXT record at ${record}. ` +
        "The weekly check did not find this record.",
      `The verification lapses${until} unless the record is found before. ` +
        "From then on, addresses in this domain don't lead to your single sign-on, and people don't join automatically.",
    ],
    link: linkTo(app, organization),
    after: [
      "You get this mail as an owner of the organization. The record has to stay as long as you use the domain.",
    ],
  };
}

/** Reports a verification that has lapsed. */
export function domainLapsed(app: App, { domain }: MailDue): MailText | undefined {
  if (!domain) return undefined;
  const { name, record, organization } = domain;
  return {
    subject: `The verification of ${name} has lapsed`,
    before: [
      `The TXT record at ${record} is missing, so the domain ${name} no longer counts as one of the organization ` +
        `"${organization}". Addresses in it don't lead to your single sign-on, and people don't join automatically.`,
    ],
    link: linkTo(app, organization),
    after: ["To verify the domain again, restore the record, then check it on that page."],
  };
}

const linkTo = (app: App, organization: string) => ({
  label: "Open the domains",
  url: `${app.config.baseUrl}/${organization}/-/sso`,
});
