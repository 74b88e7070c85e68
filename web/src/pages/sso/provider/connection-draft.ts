/** The fields of a connection while they are entered. */
import type { SamlSettings, SsoProvider } from "../../../api/organization/sso.ts";

export const samlForms = ["url", "xml", "fields"] as const;

export interface ConnectionDraft {
  type: "saml" | "oidc";
  form: (typeof samlForms)[number];
  metadataUrl: string;
  metadataXml: string;
  entityId: string;
  ssoUrl: string;
  certificates: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export const draftOf = ({ type, saml, oidc }: SsoProvider): ConnectionDraft => ({
  type,
  form: saml && saml.metadataUrl === undefined ? "fields" : "url",
  metadataUrl: saml?.metadataUrl ?? "",
  metadataXml: "",
  entityId: saml?.entityId ?? "",
  ssoUrl: saml?.ssoUrl ?? "",
  certificates: "",
  issuer: oidc?.issuer ?? "",
  clientId: oidc?.clientId ?? "",
  clientSecret: "",
});

export function samlOf(draft: ConnectionDraft): SamlSettings {
  if (draft.form === "url") return { metadataUrl: draft.metadataUrl.trim() };
  if (draft.form === "xml") return { metadataXml: draft.metadataXml };
  return {
    entityId: draft.entityId.trim(),
    ssoUrl: draft.ssoUrl.trim(),
    certificates: certificatesIn(draft.certificates),
  };
}

/** The certificates of a text with one or several in PEM; a text without marks is one certificate. */
export function certificatesIn(text: string): string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g);
  return found ?? (text.trim() === "" ? [] : [text.trim()]);
}

/** Whether everything that the form needs is entered. A stored secret may stay. */
export function isComplete(draft: ConnectionDraft, { oidc }: SsoProvider): boolean {
  const isFilled = (...texts: string[]) => texts.every((text) => text.trim() !== "");
  if (draft.type === "oidc") {
    const keepsSecret = oidc?.issuer === draft.issuer.trim();
    return isFilled(draft.issuer, draft.clientId) && (keepsSecret || isFilled(draft.clientSecret));
  }
  if (draft.form === "url") return isFilled(draft.metadataUrl);
  if (draft.form === "xml") return isFilled(draft.metadataXml);
  return isFilled(draft.entityId, draft.ssoUrl, draft.certificates);
}
