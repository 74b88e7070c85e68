/**
 * Times of single sign-on: a sign-in by SAML, from the post of the response to the session, of a person who is known
 * and of one who gets an account and a membership by it. Service and client share one process, so that the times are
 * upper bounds.
 *
 * `npm run bench -- sso [--turns=400]`
 */
import { startService } from "../test/support/service.ts";
import { newProvider, verifyDomain } from "../test/support/sso/fixture.ts";
import { attributeXml, makeResponse } from "../test/support/sso/identity-provider.ts";
import { followPost, postResponse, startSaml } from "../test/support/sso/saml-browser.ts";
import { median, percentile, reportRows, row } from "./figures/figures.ts";
import { readOptions } from "./figures/options.ts";

const { turns, warmUp } = readOptions("sso", {});
const groups = Array.from({ length: 50 }, (_, number) => `group-${number}`);

function rowOf(name: string, times: number[]) {
  const note = `median ${median(times).toFixed(1)} ms of ${times.length} sign-ins with ${groups.length} groups`;
  return row(name, percentile(times, 0.95), "ms", { most: 60 }, note);
}

const service = await startService({ ssoPrivateNetwork: true });
try {
  const owner = await service.newUser();
  const org = await service.newOrg(owner);
  await verifyDomain(service, org, "acme.test");
  const { id } = await newProvider(service, org, owner);
  const times = { known: [] as number[], first: [] as number[] };
  for (let turn = -warmUp; turn < turns; turn++) {
    const isFirst = turn % 2 === 0;
    const email = isFirst ? `person-${turn}@acme.test` : "known@acme.test";
    const started = await startSaml(service, id);
    const attributes = attributeXml("email", email) + attributeXml("groups", ...groups);
    const xml = makeResponse({ ...started, subject: email, email, attributes });
    const begun = performance.now();
    const posted = await postResponse(service, started, xml);
    const ended = await followPost(service, posted, started.cookie);
    if (!ended.session) throw new Error(`The sign-in failed: ${ended.text}`);
    if (turn >= 0) times[isFirst ? "first" : "known"].push(performance.now() - begun);
  }
  const rows = [
    rowOf("sign-in by SAML, p95", times.known),
    rowOf("first sign-in by SAML, which creates the account, p95", times.first),
  ];
  reportRows(rows);
} finally {
  await service.close();
}
