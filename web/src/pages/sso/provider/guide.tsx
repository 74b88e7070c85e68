import { SegmentedControl } from "@mantine/core";
import { useState, type ReactNode } from "react";
import type { SsoProvider } from "../../../api/organization/sso.ts";
import { GuideValue } from "../../../parts/copy/guide-value.tsx";

const kinds = [
  { value: "okta", label: "Okta" },
  { value: "entra", label: "Entra ID" },
  { value: "google", label: "Google" },
  { value: "keycloak", label: "Keycloak" },
  { value: "adfs", label: "AD FS" },
  { value: "shibboleth", label: "Shibboleth" },
  { value: "other", label: "Other" },
] as const;
type Kind = (typeof kinds)[number]["value"];

/** Names of our values in the forms of each provider, and where these forms are. */
interface SamlGuide {
  where: ReactNode;
  acs: string;
  entityId: string;
  attributes: ReactNode;
}

const saml: Record<Kind, SamlGuide> = {
  okta: {
    where: (
      <>
        In the Okta admin console, create an application by <b>Applications</b>, <b>Create App Integration</b>
        , <i>SAML 2.0</i>. Its values are later at <b>General</b>, <b>SAML Settings</b>, <b>Edit</b>.
      </>
    ),
    acs: "Single sign-on URL",
    entityId: "Audience URI (SP Entity ID)",
    attributes: (
      <>
        Choose <i>EmailAddress</i> as <b>Name ID format</b>, and add the attributes <code>email</code> (
        <code>user.email</code>) and, for teams, <code>groups</code> (Group Attribute Statements). The
        metadata URL is on <b>Sign On</b>.
      </>
    ),
  },
  entra: {
    where: (
      <>
        In the Entra admin center, create an enterprise application by <b>New application</b>,{" "}
        <b>Create your own application</b>, then open <b>Single sign-on</b>, <b>SAML</b>,{" "}
        <b>Basic SAML Configuration</b>.
      </>
    ),
    acs: "Reply URL (Assertion Consumer Service URL)",
    entityId: "Identifier (Entity ID)",
    attributes: (
      <>
        For teams, add a group claim under <b>Attributes &amp; Claims</b>: Entra ID sends ids of groups, not
        names. The metadata URL is <i>App Federation Metadata Url</i>. Assign people under{" "}
        <b>Users and groups</b>.
      </>
    ),
  },
  google: {
    where: (
      <>
        In the Google Admin console, open <b>Apps</b>, <b>Web and mobile apps</b>, <b>Add app</b>,{" "}
        <b>Add custom SAML app</b>. Download the metadata, and continue to <b>Service provider details</b>.
      </>
    ),
    acs: "ACS URL",
    entityId: "Entity ID",
    attributes: (
      <>
        Choose <i>EMAIL</i> as <b>Name ID format</b>, map <i>Primary email</i> to <code>email</code>, and, for
        teams, add the groups as <code>groups</code>. Turn the app on for the people who use it. Google offers
        the metadata as a file only.
      </>
    ),
  },
  keycloak: {
    where: (
      <>
        In the Keycloak admin console, create a client of type <i>SAML</i> by <b>Clients</b>,{" "}
        <b>Create client</b>.
      </>
    ),
    acs: "Valid redirect URIs, and Assertion Consumer Service POST Binding URL",
    entityId: "Client ID",
    attributes: (
      <>
        Keep <b>Sign documents</b> or <b>Sign assertions</b> on, and turn <b>Client signature required</b>{" "}
        off. <b>Encrypt assertions</b> needs a key, which is added below. Add mappers for <code>email</code>{" "}
        and, for teams, a group list with the name <code>groups</code>. The metadata URL is{" "}
        <code>/realms/…/protocol/saml/descriptor</code>.
      </>
    ),
  },
  adfs: {
    where: (
      <>
        In AD FS Management, open <b>Relying Party Trusts</b>, <b>Add Relying Party Trust</b>,{" "}
        <i>Claims aware</i>, <i>Enter data manually</i>.
      </>
    ),
    acs: "Relying party SAML 2.0 SSO service URL",
    entityId: "Relying party trust identifier",
    attributes: (
      <>
        In <b>Edit Claim Issuance Policy</b>, send <i>E-Mail-Addresses</i> as <i>E-Mail Address</i>, transform
        that to <i>Name ID</i> with the format <i>Email</i>, and, for teams, send{" "}
        <i>Token-Groups - Unqualified Names</i> as <i>Group</i>. The metadata URL is{" "}
        <code>/FederationMetadata/2007-06/FederationMetadata.xml</code>.
      </>
    ),
  },
  shibboleth: {
    where: (
      <>
        Add the metadata of this service to <code>conf/metadata-providers.xml</code>, and an override for it
        to <code>conf/relying-party.xml</code>.
      </>
    ),
    acs: "Assertion Consumer Service, in the metadata",
    entityId: "Entity ID, and address of the metadata",
    attributes: (
      <>
        Choose the name ID format <code>persistent</code>. Add a key below before the provider reads the
        metadata, or set <code>p:encryptAssertions=&quot;false&quot;</code>. In{" "}
        <code>conf/attribute-filter.xml</code>, release <code>mail</code>, <code>displayName</code> and, for
        teams, <code>isMemberOf</code>. The metadata URL is <code>/idp/shibboleth</code>.
      </>
    ),
  },
  other: {
    where: <>Create an application for SAML 2.0 at your identity provider.</>,
    acs: "Assertion Consumer Service URL (HTTP-POST)",
    entityId: "Entity ID and audience",
    attributes: (
      <>
        The assertion or the response has to be signed with SHA-256 or stronger. Encrypted assertions need a
        key, which is added below. Send the address as <code>email</code> or as the subject, and groups as{" "}
        <code>groups</code>.
      </>
    ),
  },
};

const oidc: Record<Kind, { where: ReactNode; callback: string; issuer: ReactNode }> = {
  okta: {
    where: (
      <>
        In the Okta admin console, create an application by <b>Applications</b>, <b>Create App Integration</b>
        , <i>OIDC</i>, <i>Web Application</i>.
      </>
    ),
    callback: "Sign-in redirect URIs",
    issuer: (
      <>
        The issuer is the address of your Okta organization. For teams, add a <code>groups</code> claim on{" "}
        <b>Sign On</b>.
      </>
    ),
  },
  entra: {
    where: (
      <>
        In the Entra admin center, create an application by <b>App registrations</b>, <b>New registration</b>,
        with the platform <i>Web</i>.
      </>
    ),
    callback: "Redirect URI",
    issuer: (
      <>
        The issuer is <code>https://login.microsoftonline.com/{"{tenant id}"}/v2.0</code>. Add the optional
        claims <code>email</code> and, for teams, <code>groups</code>.
      </>
    ),
  },
  google: {
    where: (
      <>
        In the Google Cloud console, create an OAuth client of type <i>Web application</i> by{" "}
        <b>APIs &amp; Services</b>, <b>Credentials</b>.
      </>
    ),
    callback: "Authorized redirect URIs",
    issuer: (
      <>
        The issuer is <code>https://accounts.google.com</code>. Google sends no groups: use SAML if you map
        groups to teams.
      </>
    ),
  },
  keycloak: {
    where: (
      <>
        In the Keycloak admin console, create a client of type <i>OpenID Connect</i> with{" "}
        <b>Client authentication</b> by <b>Clients</b>, <b>Create client</b>.
      </>
    ),
    callback: "Valid redirect URIs",
    issuer: (
      <>
        The issuer is <code>https://…/realms/{"{realm}"}</code>. For teams, add a group membership mapper with
        the claim <code>groups</code>, without the full path.
      </>
    ),
  },
  adfs: {
    where: (
      <>
        In AD FS Management, open <b>Application Groups</b>, <b>Add Application Group</b>,{" "}
        <i>Server application accessing a web API</i>.
      </>
    ),
    callback: "Redirect URI",
    issuer: (
      <>
        The issuer is <code>https://…/adfs</code>. Send <code>email</code> and, for teams, <code>groups</code>{" "}
        by issuance transform rules of the web API.
      </>
    ),
  },
  shibboleth: {
    where: <>Register a client at the OIDC OP plugin of the identity provider.</>,
    callback: "Redirect URI",
    issuer: (
      <>
        The issuer is that of <code>/.well-known/openid-configuration</code>. Release <code>email</code> and,
        for teams, <code>groups</code> in <code>conf/attribute-filter.xml</code>.
      </>
    ),
  },
  other: {
    where: <>Create a confidential client at your identity provider.</>,
    callback: "Redirect URI",
    issuer: (
      <>
        The service uses the authorization code flow with PKCE, and the scopes{" "}
        <code>openid email profile</code>, and <code>groups</code> if the provider has it.
      </>
    ),
  },
};

/** The product that the provider is named after, or which its addresses show. */
function kindOf({ name, saml: connection, oidc: client }: SsoProvider): Kind {
  const text = `${name} ${connection?.entityId ?? ""} ${client?.issuer ?? ""}`.toLowerCase();
  const found = signs.find(([pattern]) => pattern.test(text));
  return found ? found[1] : "okta";
}
const signs: readonly [RegExp, Kind][] = [
  [/okta/, "okta"],
  [/entra|azure|sts\.windows|microsoft/, "entra"],
  [/google/, "google"],
  [/keycloak|\/realms\//, "keycloak"],
  [/ad ?fs/, "adfs"],
  [/shibboleth/, "shibboleth"],
];

/** The values of this service for the identity provider, under the names that it has for them. */
export function Guide({ provider }: { provider: SsoProvider }) {
  const [kind, setKind] = useState(() => kindOf(provider));
  const { urls, type } = provider;
  return (
    <section className="panel" aria-labelledby="guide-heading">
      <header className="row wrap between">
        <h2 id="guide-heading">Values for your identity provider</h2>
        <SegmentedControl
          aria-label="Identity provider"
          size="xs"
          data={[...kinds]}
          value={kind}
          onChange={setKind}
        />
      </header>
      <ol className="body guide">
        <li>
          {type === "saml" ? saml[kind].where : oidc[kind].where} Enter:
          {type === "saml" ? (
            <>
              <GuideValue name={saml[kind].acs} text={urls.acs ?? ""} />
              <GuideValue name={saml[kind].entityId} text={urls.metadata ?? ""} />
            </>
          ) : (
            <GuideValue name={oidc[kind].callback} text={urls.callback ?? ""} />
          )}
        </li>
        <li>{type === "saml" ? saml[kind].attributes : oidc[kind].issuer}</li>
        <li>
          People begin here, also from a tile of the identity provider. Sign-ins that begin at the provider
          are refused.
          <GuideValue name="Start URL" text={urls.start} />
        </li>
      </ol>
    </section>
  );
}
