import { useState } from "react";
import { scim } from "../../../generated/guides.ts";
import { GuideSteps } from "../../parts/copy/guide-steps.tsx";
import { Segments } from "../../parts/page/segments.tsx";

type Provider = keyof typeof scim;
const labels: Record<Provider, string> = {
  Okta: "Okta",
  "Microsoft Entra ID": "Entra ID",
  "Other providers": "Other",
};
const providers = (Object.keys(labels) as Provider[]).map((value) => ({ value, label: labels[value] }));

/** How to connect an identity provider, with the values to enter there. */
export function Guide({ baseUrl }: { baseUrl: string }) {
  const [provider, setProvider] = useState<Provider>("Okta");
  return (
    <section className="panel" aria-labelledby="scim-guide">
      <header className="row wrap between">
        <h2 id="scim-guide">Connect your identity provider</h2>
        <Segments label="Identity provider" data={providers} value={provider} onChange={setProvider} />
      </header>
      <div className="body stack gap-4">
        <ol className="guide">
          <GuideSteps steps={scim[provider].steps} values={{ baseUrl }} />
        </ol>
        <p className="meta">
          The token was shown when it was created. If you don&apos;t have it, rotate it to get another.
        </p>
      </div>
    </section>
  );
}
