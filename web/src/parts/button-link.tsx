import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

type Props = ButtonProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> & { ref?: Ref<HTMLAnchorElement> };
const AnchorButton = (props: Props) => <Button component="a" {...props} />;

/** A button that is a link, with the router's typed `to` and `params`, which `component={Link}` loses. */
export const ButtonLink = createLink(AnchorButton);
