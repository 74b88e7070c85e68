import { SegmentedControl } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { GuideValue } from "../../parts/copy/guide-value.tsx";

const providers = [
  { value: "okta", label: "Okta" },
  { value: "entra", label: "Entra ID" },
  { value: "other", label: "Other" },
] as const;
type ProviderKind = (typeof providers)[number]["value"];

/** How to connect an identity provider, with the values to enter there. */
export function Guide({ baseUrl }: { baseUrl: string }) {
  const [kind, setKind] = useState<ProviderKind>("okta");
  const Steps = steps[kind];
  return (
    <section className="panel" aria-labelledby="scim-guide">
      <header className="row wrap between">
        <h2 id="scim-guide">Connect your identity provider</h2>
        <SegmentedControl
          aria-label="Identity provider"
          size="xs"
          data={[...providers]}
          value={kind}
          onChange={setKind}
        />
      </header>
      <div className="body stack g4">
        <Steps baseUrl={baseUrl} />
        <p className="meta">
          The token was shown when it was created. If you don&apos;t have it, rotate it to get another.
        </p>
      </div>
    </section>
  );
}

interface StepsProps {
  baseUrl: string;
}

const steps: Record<ProviderKind, (props: StepsProps) => ReactNode> = {
  okta: Okta,
  entra: Entra,
  other: Other,
};

function Okta({ baseUrl }: StepsProps) {
  return (
    <ol className="guide">
      <li>
        In the Okta admin console, open <b>Applications</b>, <b>Browse App Catalog</b>, and add{" "}
        <i>SCIM 2.0 Test App (OAuth Bearer Token)</i>; or open your own application and set{" "}
        <b>Provisioning</b> to <i>SCIM</i> under <b>General</b>.
      </li>
      <li>
        Under <b>Provisioning</b>, <b>Integration</b>, enter:
        <GuideValue name="SCIM connector base URL" text={baseUrl} />
        <GuideValue name="Unique identifier field for users" text="userName" />
        <span>
          Select <i>Push New Users</i>, <i>Push Profile Updates</i> and <i>Push Groups</i>, and{" "}
          <i>HTTP Header</i> as the authentication mode, with the token. <b>Test Connector Configuration</b>{" "}
          must succeed.
        </span>
      </li>
      <li>
        Under <b>Provisioning</b>, <b>To App</b>, enable <i>Create Users</i>, <i>Update User Attributes</i>{" "}
        and <i>Deactivate Users</i>.
      </li>
      <li>
        Assign people or groups under <b>Assignments</b>. Under <b>Push Groups</b>, push those that are to be
        teams; choose <i>Link Group</i> for an existing team.
      </li>
    </ol>
  );
}

function Entra({ baseUrl }: StepsProps) {
  return (
    <ol className="guide">
      <li>
        In the Entra admin center, open <b>Enterprise applications</b>, <b>New application</b>,{" "}
        <b>Create your own application</b>, and choose{" "}
        <i>Integrate any other application you don&apos;t find in the gallery</i>.
      </li>
      <li>
        Under <b>Provisioning</b>, set the mode to <i>Automatic</i>, and enter:
        <GuideValue name="Tenant URL" text={`${baseUrl}?aadOptscim062020`} />
        <span>
          Enter the token as <i>Secret token</i>. <b>Test Connection</b> must succeed. With the parameter in
          the URL, Entra ID sends requests that follow the standard.
        </span>
      </li>
      <li>
        Keep the defaults under <b>Mappings</b>. If <code>mail</code> is empty for some people, map{" "}
        <code>userPrincipalName</code> to:
        <GuideValue name="target attribute" text={'emails[type eq "work"].value'} />
      </li>
      <li>
        Assign people and groups under <b>Users and groups</b>, set the scope to assigned users and groups
        under <b>Settings</b>, and start the provisioning. Entra ID synchronizes every 40 minutes;{" "}
        <b>Provision on demand</b> does so for one person at once.
      </li>
    </ol>
  );
}

function Other({ baseUrl }: StepsProps) {
  return (
    <ol className="guide">
      <li>
        Enter the address, for SCIM 2.0:
        <GuideValue name="base URL" text={baseUrl} />
      </li>
      <li>
        Choose <i>Bearer token</i> (also <i>OAuth bearer token</i> or <i>HTTP header</i>) as the
        authentication. The header of each request is:
        <GuideValue name="header" text="Authorization: Bearer <token>" />
      </li>
      <li>
        Map a unique <code>userName</code>, the address to <code>emails</code>, and <code>active</code>: a
        user who is not active has no access. The address is the primary one, the one of type{" "}
        <code>work</code>, the first one, or else the <code>userName</code>.
      </li>
      <li>
        Push the groups that are to be teams. PATCH, filters, sorting, paging and entity tags are offered;
        bulk requests are not.
      </li>
    </ol>
  );
}
