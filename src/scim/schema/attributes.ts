/**
 * Attributes of users and groups (RFC 7643, sections 4 and 8.7.1). Nothing outside of this table is read from a
 * request, stored, filtered by or returned.
 */

export const urns = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  enterprise: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  /** The extension of this service; readOnly. */
  membership: "urn:ietf:params:scim:schemas:extension:membership:2.0:User",
} as const;

export interface Attribute {
  name: string;
  type: "string" | "boolean" | "dateTime" | "reference" | "complex";
  description: string;
  multiValued?: true;
  required?: true;
  caseExact?: true;
  mutability?: "readOnly" | "writeOnly" | "immutable";
  unique?: true;
  /** Attributes of a complex one. */
  sub?: readonly Attribute[];
}

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: "string",
  description,
  ...more,
});

/** A list whose values have a type, such as addresses of mails. */
const list = (name: string, description: string, more: readonly Attribute[] = []): Attribute => ({
  name,
  type: "complex",
  multiValued: true,
  description,
  sub: [
    text("value", "The value itself."),
    text("display", "Name for display."),
    text("type", 'Kind of the value, such as "work".'),
    { name: "primary", type: "boolean", description: "Whether it is the preferred value." },
    ...more,
  ],
});

/** Attributes of every resource. */
export const commonAttributes: readonly Attribute[] = [
  text("id", "Id at this service.", { caseExact: true, mutability: "readOnly" }),
  text("externalId", "Id at the identity provider.", { caseExact: true }),
  {
    name: "meta",
    type: "complex",
    description: "Type, times and version of the resource.",
    mutability: "readOnly",
    sub: [
      text("resourceType", "Type of the resource.", { caseExact: true, mutability: "readOnly" }),
      { name: "created", type: "dateTime", description: "Time of creation.", mutability: "readOnly" },
      { name: "lastModified", type: "dateTime", description: "Time of change.", mutability: "readOnly" },
      text("location", "Address of the resource.", { caseExact: true, mutability: "readOnly" }),
      text("version", "Entity tag.", { caseExact: true, mutability: "readOnly" }),
    ],
  },
];

export const userAttributes: readonly Attribute[] = [
  text("userName", "Name at the identity provider, unique in the organization.", {
    required: true,
    unique: true,
  }),
  {
    name: "name",
    type: "complex",
    description: "Parts of the person's name.",
    sub: [
      text("formatted", "Full name."),
      text("familyName", "Family name."),
      text("givenName", "Given name."),
      text("middleName", "Middle name."),
      text("honorificPrefix", "Title before the name."),
      text("honorificSuffix", "Suffix of the name."),
    ],
  },
  text("displayName", "Name for display."),
  text("nickName", "Casual name."),
  text("profileUrl", "Address of a profile."),
  text("title", "Job title."),
  text("userType", "Relation to the organization."),
  text("preferredLanguage", "Preferred language."),
  text("locale", "Locale."),
  text("timezone", "Time zone."),
  { name: "active", type: "boolean", description: "Whether the user is a member of the organization." },
  text("password", "Ignored: the service stores no password of an identity provider.", {
    mutability: "writeOnly",
  }),
  list("emails", "E-mail addresses."),
  list("phoneNumbers", "Telephone numbers."),
  list("ims", "Addresses of instant messengers."),
  list("photos", "Pictures."),
  list("entitlements", "Entitlements; without effect."),
  list("roles", "Roles; without effect."),
  list("x509Certificates", "Certificates; without effect."),
  {
    name: "addresses",
    type: "complex",
    multiValued: true,
    description: "Postal addresses.",
    sub: [
      text("formatted", "Full address."),
      text("streetAddress", "Street."),
      text("locality", "City."),
      text("region", "Region."),
      text("postalCode", "Postal code."),
      text("country", "Country."),
      text("type", 'Kind of the address, such as "work".'),
      { name: "primary", type: "boolean", description: "Whether it is the preferred address." },
    ],
  },
  {
    name: "groups",
    type: "complex",
    multiValued: true,
    mutability: "readOnly",
    description: "Groups of the user.",
    sub: [
      text("value", "Id of the group.", { caseExact: true, mutability: "readOnly" }),
      { name: "$ref", type: "reference", description: "Address of the group.", mutability: "readOnly" },
      text("display", "Name of the group.", { mutability: "readOnly" }),
      text("type", 'Always "direct".', { mutability: "readOnly" }),
    ],
  },
];

export const enterpriseAttributes: readonly Attribute[] = [
  text("employeeNumber", "Number of the employee."),
  text("costCenter", "Cost center."),
  text("organization", "Organization."),
  text("division", "Division."),
  text("department", "Department."),
  {
    name: "manager",
    type: "complex",
    description: "The user's manager.",
    sub: [
      text("value", "Id of the manager."),
      { name: "$ref", type: "reference", description: "Address of the manager.", mutability: "readOnly" },
      text("displayName", "Name of the manager."),
    ],
  },
];

/** Attributes of a user who is not active although the identity provider has activated it. */
export const membershipAttributes: readonly Attribute[] = [
  text("state", '"invited", "declined" or "revoked".', { caseExact: true, mutability: "readOnly" }),
  text("reason", "Why the user is not active.", { mutability: "readOnly" }),
];

export const groupAttributes: readonly Attribute[] = [
  text("displayName", "Name of the group.", { required: true, unique: true }),
  {
    name: "members",
    type: "complex",
    multiValued: true,
    description: "Users of the group.",
    sub: [
      text("value", "Id of the user.", { caseExact: true, mutability: "immutable" }),
      { name: "$ref", type: "reference", description: "Address of the user.", mutability: "immutable" },
      text("display", "Name of the user.", { mutability: "immutable" }),
      text("type", 'Always "User".', { mutability: "immutable" }),
    ],
  },
];

export type ResourceType = "User" | "Group";

/** A schema with its attributes, in the order in which names are looked up. */
export const schemasOf: Record<ResourceType, readonly { urn: string; attributes: readonly Attribute[] }[]> = {
  User: [
    { urn: urns.user, attributes: userAttributes },
    { urn: urns.enterprise, attributes: enterpriseAttributes },
  ],
  Group: [{ urn: urns.group, attributes: groupAttributes }],
};
