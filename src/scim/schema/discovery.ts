/** Descriptions of the service (RFC 7643, sections 5 to 7), made from the schema table. */
import { limits } from "../../../contract/limits.ts";
import { unknownDescription } from "../errors.ts";
import { membershipAttributes, schemasOf, urns, type Attribute } from "./attributes.ts";

const descriptions = {
  [urns.user]: { name: "User", description: "A member of the organization." },
  [urns.enterprise]: { name: "EnterpriseUser", description: "Attributes of employees; without effect." },
  [urns.membership]: { name: "Membership", description: "Why a user is not active." },
  [urns.group]: { name: "Group", description: "A team of the organization." },
};

export function serviceProviderConfig(base: string) {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: limits.jsonBodyBytes },
    filter: { supported: true, maxResults: limits.scimPage },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "The token that an owner of the organization has created for SCIM.",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypes(base: string) {
  const of = (name: "User" | "Group", extensions: string[]) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id: name,
    name,
    endpoint: `/${name}s`,
    description: descriptions[name === "User" ? urns.user : urns.group].description,
    schema: name === "User" ? urns.user : urns.group,
    schemaExtensions: extensions.map((schema) => ({ schema, required: false })),
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  });
  return [of("User", [urns.enterprise, urns.membership]), of("Group", [])];
}

export function schemas(base: string) {
  const membership = { urn: urns.membership, attributes: membershipAttributes };
  return [...schemasOf.User, membership, ...schemasOf.Group].map(({ urn, attributes }) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
    id: urn,
    ...descriptions[urn as keyof typeof descriptions],
    attributes: attributes.map(describe),
    meta: { resourceType: "Schema", location: `${base}/Schemas/${urn}` },
  }));
}

/** The description with an id. Throws 404. */
export function byId<T extends { id: string }>(list: readonly T[], id: string): T {
  const found = list.find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (!found) throw unknownDescription(id);
  return found;
}

interface Described {
  name: string;
  type: string;
  subAttributes?: Described[];
  [key: string]: unknown;
}

function describe(attribute: Attribute): Described {
  const { name, type, description, multiValued, required, caseExact, mutability, unique, sub } = attribute;
  return {
    name,
    type,
    multiValued: multiValued === true,
    description,
    required: required === true,
    caseExact: type === "string" || type === "reference" ? caseExact === true : undefined,
    mutability: mutability ?? "readWrite",
    returned: mutability === "writeOnly" ? "never" : "default",
    uniqueness: unique ? "server" : "none",
    referenceTypes: type === "reference" ? (name === "$ref" ? ["User", "Group"] : ["uri"]) : undefined,
    subAttributes: sub?.map(describe),
  };
}
