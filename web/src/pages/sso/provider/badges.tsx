import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { isConnected, type SsoProvider } from "../../../api/organization/sso.ts";
import { Time } from "../../../parts/text/time.tsx";

type Certificate = NonNullable<SsoProvider["saml"]>["certificates"][number];

/** Time before its end from which a certificate is warned of, as in the mails to owners. */
const warningMs = 30 * 86_400_000;

export const isEnding = ({ notAfter }: Certificate) => Date.parse(notAfter) - Date.now() < warningMs;

export function ProviderBadges({ provider }: { provider: SsoProvider }) {
  const { enabled, enforced } = provider;
  const disabled = isConnected(provider) ? "disabled" : "not connected";
  return (
    <>
      <span className={enabled ? "badge ok" : "badge"}>{enabled ? "enabled" : disabled}</span>
      {enforced && <span className="badge accent">enforced</span>}
    </>
  );
}

/** Warning of a certificate that expires soon or has expired. */
export function CertificateState({ certificate }: { certificate: Certificate }) {
  const [warns] = useState(() => isEnding(certificate));
  if (!warns) return null;
  const { expired, notAfter, subject } = certificate;
  return (
    <p className={expired ? "note danger" : "note warn"}>
      <TriangleAlert className="icon" />
      <span>
        The certificate {subject} {expired ? "expired" : "expires"} <Time value={notAfter} />.{" "}
        {expired ? "Responses signed by it are refused." : "Add the next one before then."}
      </span>
    </p>
  );
}
