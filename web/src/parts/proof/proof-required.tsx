import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { verifyAgain } from "../../api/account/sign-in-again.ts";
import type { ApiError } from "../../api/client.ts";
import { ButtonLink } from "../button-link.tsx";
import { Page } from "../page/page.tsx";
import { LeaveOrganization } from "./leave-organization.tsx";
import { providerSignIn } from "./provider-sign-in.ts";

const codes = ["mfa_required", "sso_required", "reauthentication_required"];

/** Whether an organization withholds itself from a member until they give a proof. */
export const isProofRequired = ({ code }: ApiError): boolean => codes.includes(code);

/** The page of an organization for a member who lacks the proof that it requires: give it, or leave. */
export function ProofRequired({ org, error }: { org: string; error: ApiError }) {
  const { organization } = error.details as { organization?: { name: string } };
  const name = organization?.name ?? org;
  const { title, content } = contentOf(org, name, error);
  return (
    <Page title={`${title} · ${org}`} crumbs={[{ label: org }]}>
      <div className="page stack gap-4">
        <h1>{title}</h1>
        {content}
      </div>
    </Page>
  );
}

interface Content {
  title: string;
  content: ReactNode;
}

function contentOf(org: string, name: string, { code, details }: ApiError): Content {
  if (code === "sso_required")
    return {
      title: "Sign in with single sign-on",
      content: <SsoRequired org={org} name={name} details={details} />,
    };
  if (code === "mfa_required")
    return { title: "A second factor is required", content: <FactorRequired org={org} name={name} /> };
  return { title: "Confirm it is you", content: <ConfirmationRequired name={name} /> };
}

function FactorRequired({ org, name }: { org: string; name: string }) {
  return (
    <>
      <p className="note warn">
        <ShieldCheck className="icon" />
        <span>
          <bdi>{name}</bdi> requires a second factor of its members, and your account has none. Nothing of the
          organization is shown until you add one.
        </span>
      </p>
      <p className="sub">
        A passkey or an authenticator app takes a minute. This page opens again as soon as you have one.
      </p>
      <div className="row wrap">
        <ButtonLink to="/settings/security">Add a second factor</ButtonLink>
        <LeaveOrganization org={org} name={name} />
      </div>
    </>
  );
}

function SsoRequired({ org, name, details }: { org: string; name: string; details: ApiError["details"] }) {
  const { ownFactor } = details;
  return (
    <>
      <p className="note warn">
        <KeyRound className="icon" />
        <span>
          <bdi>{name}</bdi> requires its members to sign in through its identity provider. Nothing of the
          organization is shown until you have done so.
        </span>
      </p>
      <div className="row wrap">
        <Button component="a" href={providerSignIn(String(details["startUrl"]))}>
          Sign in with single sign-on
        </Button>
        <LeaveOrganization org={org} name={name} />
      </div>
      {ownFactor === "present" && <OwnFactor />}
      {ownFactor === "missing" && <OwnFactorMissing />}
    </>
  );
}

/** The access of owners while the provider is down. */
function OwnFactor() {
  const verify = useVerification();
  return (
    <>
      <p className="sub">
        As an owner, you can use your own second factor instead, for example while the identity provider is
        down. This counts for a day. It is recorded in the audit log, and all owners get a mail about it.
      </p>
      <div>
        <Button size="xs" variant="default" onClick={verify}>
          Use my second factor
        </Button>
      </div>
    </>
  );
}

function OwnFactorMissing() {
  return (
    <>
      <p className="sub">
        As an owner, you could use your own second factor instead, for example while the identity provider is
        down, but your account has none.
      </p>
      <div>
        <ButtonLink to="/settings/security" size="xs" variant="default">
          Add a second factor
        </ButtonLink>
      </div>
    </>
  );
}

function ConfirmationRequired({ name }: { name: string }) {
  const verify = useVerification();
  return (
    <>
      <p className="note warn">
        <ShieldCheck className="icon" />
        <span>
          The identity provider of another organization has signed you in. <bdi>{name}</bdi> is shown after
          you have confirmed with your own password or second factor.
        </span>
      </p>
      <div className="row wrap">
        <Button onClick={verify}>Confirm it is you</Button>
      </div>
    </>
  );
}

/** Asks for the second factor or password of the account, and reads everything again. */
function useVerification(): () => void {
  const client = useQueryClient();
  return () => void verifyAgain().then((isVerified) => (isVerified ? client.invalidateQueries() : undefined));
}
