/** Slugs, and names in the standard of agent skills: lower-case letters, digits and single hyphens between them. */
export const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
