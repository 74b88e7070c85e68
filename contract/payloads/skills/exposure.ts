/** Readers of a folder or skill before and after a change, as they cross the wire. */
import { z } from "zod";
import { audienceKinds } from "../../vocabulary.ts";

/** Maximum number of members, and of teams, that are listed. */
export const namedReaders = 20;

const visibility = z.enum(audienceKinds).meta({
  description:
    "`public`: everyone on the internet, in the catalog; `unlisted`: everyone who has the link; `organization`: its " +
    "members; `restricted`: members and teams with a grant, and holders of folder: manageAcl",
});
const named = z.object({ id: z.string(), name: z.string() });

export const AudiencePayload = z
  .object({
    visibility,
    members: z
      .array(named)
      .optional()
      .meta({ description: `with a grant, at most ${namedReaders}; only where restricted` }),
    memberCount: z.number().int().optional().meta({ description: "members with a grant of their own" }),
    teams: z.array(named).optional(),
    teamCount: z.number().int().optional(),
  })
  .meta({ id: "Audience" });
export type AudiencePayload = z.infer<typeof AudiencePayload>;

export const ExposurePayload = z
  .object({
    before: z.object({ visibility }),
    after: AudiencePayload,
    widened: z.boolean().meta({ description: "anyone can read it afterwards who could not before" }),
    versions: z.number().int().optional().meta({
      description: "for a skill: number of versions besides the current one that become readable with it",
    }),
    skills: z.object({ public: z.number().int(), unlisted: z.number().int() }).optional().meta({
      description:
        "for a folder: number of skills that become readable to everyone, or to everyone with the link",
    }),
    mcpServers: z.number().int().optional().meta({
      description:
        "for a folder: number of MCP servers that anyone can read afterwards, in the public registry",
    }),
  })
  .meta({ id: "Exposure" });
export type ExposurePayload = z.infer<typeof ExposurePayload>;

const readers = z.array(named);

export const MovedReadersPayload = z
  .object({
    before: z.number().int().meta({ description: "members who can read it; of a folder, its open part" }),
    after: z.number().int(),
    gain: z.number().int().meta({ description: "members who can read it only afterwards" }),
    lose: z.number().int(),
    gaining: readers.optional().meta({ description: "the first 20; for callers who may list members" }),
    losing: readers.optional(),
  })
  .meta({ id: "MovedReaders" });
export type MovedReadersPayload = z.infer<typeof MovedReadersPayload>;

export const AudienceSizePayload = z
  .object({
    visibility,
    members: z.number().int().meta({ description: "members of the organization who could read it" }),
  })
  .meta({ id: "AudienceSize" });
export type AudienceSizePayload = z.infer<typeof AudienceSizePayload>;
