import { useState } from "react";
import { sso } from "../../../../generated/guides.ts";
import type { SsoProvider } from "../../../api/organization/sso.ts";
import { GuideSteps } from "../../../parts/copy/guide-steps.tsx";
import { GuideValue } from "../../../parts/copy/guide-value.tsx";
import { Segments } from "../../../parts/page/segments.tsx";

type Product = keyof typeof sso;
const labels: Record<Product, string> = {
  Okta: "Okta",
  "Microsoft Entra ID": "Entra ID",
  "Google Workspace": "Google",
  Keycloak: "Keycloak",
  "AD FS": "AD FS",
  Shibboleth: "Shibboleth",
  "Other providers": "Other",
};
const products = (Object.keys(labels) as Product[]).map((value) => ({ value, label: labels[value] }));

/** The product that the provider is named after, or which its addresses show. */
function productOf({ name, saml, oidc }: SsoProvider): Product {
  const text = `${name} ${saml?.entityId ?? ""} ${oidc?.issuer ?? ""}`.toLowerCase();
  const found = signs.find(([pattern]) => pattern.test(text));
  return found ? found[1] : "Okta";
}
const signs: readonly [RegExp, Product][] = [
  [/okta/, "Okta"],
  [/entra|azure|sts\.windows|microsoft/, "Microsoft Entra ID"],
  [/google/, "Google Workspace"],
  [/keycloak|\/realms\//, "Keycloak"],
  [/ad ?fs/, "AD FS"],
  [/shibboleth/, "Shibboleth"],
];

/** The values of this service for the identity provider, under the names that it has for them. */
export function Guide({ provider }: { provider: SsoProvider }) {
  const [product, setProduct] = useState(() => productOf(provider));
  const { urls, type } = provider;
  const values = Object.fromEntries(Object.entries(urls).map(([name, url]) => [`urls.${name}`, url]));
  return (
    <section className="panel" aria-labelledby="guide-heading">
      <header className="row wrap between">
        <h2 id="guide-heading">Values for your identity provider</h2>
        <Segments label="Identity provider" data={products} value={product} onChange={setProduct} />
      </header>
      <ol className="body guide">
        <GuideSteps steps={sso[product][type === "saml" ? "SAML" : "OpenID Connect"]} values={values} />
        <li>
          People begin here, also from a tile of the identity provider. Sign-ins that begin at the provider
          are refused.
          <GuideValue name="Start URL" text={urls.start} />
        </li>
      </ol>
    </section>
  );
}
