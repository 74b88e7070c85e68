import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { invitationsQuery, inviteMany, type InvitationOutcome } from "../../../api/organization/people.ts";

/** Addresses of one use of the dialog. */
export const maxAddresses = 1000;

interface Offer {
  emails: string[];
  role: string;
  teamIds: string[];
}

/**
 * Sends invitations, as many at a time as one request takes. If a request fails, the outcomes of those before it are
 * kept, and sending again continues after them.
 */
export function useInvite(org: string) {
  const client = useQueryClient();
  const [outcomes, setOutcomes] = useState<InvitationOutcome[]>([]);
  const sending = useMutation({
    async mutationFn({ emails, ...offer }: Offer) {
      const all = [...outcomes];
      const sent = new Set(all.map(({ email }) => email));
      const rest = emails.filter((email) => !sent.has(email));
      for (let start = 0; start < rest.length; start += limits.invitationBatchSize) {
        const batch = rest.slice(start, start + limits.invitationBatchSize);
        all.push(...(await inviteMany(org, { ...offer, emails: batch })));
        setOutcomes([...all]);
      }
      return all;
    },
    onSettled: () => client.invalidateQueries({ queryKey: invitationsQuery(org).queryKey }),
  });
  const restart = () => {
    setOutcomes([]);
    sending.reset();
  };
  return { sending, outcomes, restart };
}
