/** Names of channels, which pins name like versions (`docs/concepts/versions.md`). */

const pattern = /^[a-z][a-z0-9-]{0,31}$/;
/** Names with another meaning, and forms that are read as versions or ranges. */
const reserved = /^(?:latest|head|v*x|v+\d.*)$/;

/** Whether a name can be that of a channel. */
export const isChannelName = (name: string): boolean => pattern.test(name) && !reserved.test(name);
