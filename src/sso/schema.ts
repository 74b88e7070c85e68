import { z } from "zod";
import { identifierText } from "../../contract/checks/unsafe-characters.ts";
import { limits } from "../../contract/limits.ts";
import { absentGroups as absentGroupsMeanings, ssoTypes } from "../../contract/payloads/accounts/sso.ts";
import { isId } from "../../storage/database.ts";
import { isBuiltIn, ownerRole } from "../access/permissions.ts";
import { formText } from "../http/pages/forms.ts";
import { listQuery } from "../http/request/cursor.ts";
import { personName } from "../users/schema.ts";

const id = z.string().min(1).max(64);
const tenant = z.string().min(1).max(64).meta({ description: "id or slug" });
const line = (max: number) =>
  z.string().trim().min(1).max(max).regex(identifierText, "must not contain control characters");
const webAddress = z.url({ protocol: /^https?$/ }).max(2000);

const certificates = z.array(z.string().min(1).max(20_000)).min(1).max(limits.ssoCertificates).meta({
  description: "PEM; several during a rollover",
});
/** Three forms of the same: an address of metadata, the metadata, or its parts. */
const Saml = z.union([
  z.strictObject({ metadataUrl: webAddress.meta({ description: "read now, and again every day" }) }),
  z.strictObject({ metadataXml: z.string().min(1).max(limits.ssoMetadataBytes) }),
  z.strictObject({ entityId: line(limits.ssoEntityId), ssoUrl: webAddress, certificates }),
]);
export type SamlInput = z.output<typeof Saml>;

const clientSecret = z.string().min(1).max(500).meta({ description: "write only" });
const oidcFields = { issuer: webAddress, clientId: line(300) };

const role = z.string().refine((text) => (isBuiltIn(text) && text !== ownerRole) || isId(text), {
  message: "must be admin, member, viewer, or the id of a custom role; owners are never made by a provider",
});
const jit = z.strictObject({ enabled: z.boolean(), role });
const groupsAttribute = line(300).nullable().meta({
  description: "attribute or claim with the groups; null tries the usual names",
});
const absentGroups = z.enum(absentGroupsMeanings).meta({
  description:
    "whether a response without the groups keeps the teams of the person, or is as one without groups",
});
const name = personName.max(limits.policyName);

export const CreateSsoProvider = z
  .strictObject({
    name,
    type: z.enum(ssoTypes),
    enabled: z.boolean().default(false),
    jit: jit.default({ enabled: true, role: "member" }),
    groupsAttribute: groupsAttribute.default(null),
    absentGroups: absentGroups.default("unchanged"),
    saml: Saml.optional().meta({ description: "may follow, once urls are entered at the provider" }),
    oidc: z
      .strictObject({ ...oidcFields, clientSecret })
      .optional()
      .meta({ description: "may follow, once urls are entered at the provider" }),
  })
  .refine((input) => !input.enabled || input[input.type] !== undefined, {
    path: ["enabled"],
    message: "needs the settings of the connection, saml or oidc",
  })
  .refine((input) => input[input.type === "saml" ? "oidc" : "saml"] === undefined, {
    message: "has settings of another type",
  });
export type CreateSsoProvider = z.output<typeof CreateSsoProvider>;

export const UpdateSsoProvider = z
  .strictObject({
    name: name.optional(),
    enabled: z.boolean().optional(),
    enforced: z.boolean().optional(),
    jit: jit.optional(),
    groupsAttribute: groupsAttribute.optional(),
    absentGroups: absentGroups.optional(),
    saml: Saml.optional(),
    oidc: z
      .strictObject({ ...oidcFields, clientSecret: clientSecret.optional() })
      .partial()
      .optional()
      .meta({ description: "without clientSecret the stored one stays, for the same issuer only" }),
  })
  .refine((fields) => Object.keys(fields).length > 0, "needs a field to change");
export type UpdateSsoProvider = z.output<typeof UpdateSsoProvider>;

export const PutGroupMappings = z.strictObject({
  mappings: z
    .array(z.strictObject({ group: line(limits.ssoGroup), teamId: id }))
    .max(limits.ssoGroupMappings)
    .refine(
      (list) => new Set(list.map(({ group, teamId }) => `${teamId} ${group}`)).size === list.length,
      "names one pair twice",
    ),
});
export type PutGroupMappings = z.output<typeof PutGroupMappings>;

export const ProviderParams = z.object({ tenant, id });
export const EncryptionKeyParams = z.object({
  tenant,
  id,
  fingerprint: id.meta({
    description: "SHA-256 of its certificate, lower-case hexadecimal",
  }),
});
export const TestParams = z.object({ tenant, id, test: id });

export const SignInsQuery = z.object({
  ...listQuery,
  provider: id.optional().meta({ description: "id of a provider" }),
  number: z
    .string()
    .regex(/^\d{4}-?\d{4}$/)
    .transform((text) => text.replace("-", ""))
    .optional()
    .meta({ description: "number that the page of a failed sign-in shows" }),
});
export type SignInsQuery = z.output<typeof SignInsQuery>;
export const SignInCursor = z.tuple([z.string().max(64)]);

/** Pages of a sign-in. */
export const PageParams = z.object({ provider: z.string().min(1).max(64) });
export const SlugParams = z.object({ org: z.string().min(1).max(64) });
export const StartQuery = z.object({ return_to: formText, test: formText });
export const StateQuery = z.object({ state: formText });
/** Parameters of a redirect by an OpenID Connect provider; the first of repeated ones counts. */
export const CallbackQuery = z
  .record(
    z.string().max(100),
    z.union([z.string().max(8000), z.array(z.string()).transform((all) => all[0] ?? "")]),
  )
  .refine((query) => Object.keys(query).length <= 30, "has too many parameters");
export const LinkForm = z.object({ state: formText });
export const AcsForm = z.object({
  SAMLResponse: z.string().max(limits.ssoResponseBytes).default(""),
  RelayState: formText,
});
