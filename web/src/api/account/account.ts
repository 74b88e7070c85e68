/** The signed-in user's own account: sessions, tokens, grants to programs, installs and log. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, ok, type Schemas } from "../client.ts";
import { pages, query } from "../query.ts";
import type { NewToken } from "./tokens.ts";

export type Session = Schemas["Session"];
export type OwnToken = Schemas["Token"];
export type Grant = Schemas["Grant"];
export type OwnInstall = Schemas["OwnInstall"];
export type AuditEntry = Schemas["AuditEntry"];

const pageSize = 200;

export const sessionsQuery = pages("/api/user/sessions", { limit: 50 });

export const ownTokensQuery = query("/api/user/tokens", { limit: pageSize });

/** One page has all: the service allows 100. */
export const grantsQuery = query("/api/user/grants", { limit: pageSize });

export const installsQuery = pages("/api/user/installs", { limit: pageSize });

export interface ActivitySearch {
  /** Event names or groups, as `skill.*`. */
  action?: string;
  from?: string;
  to?: string;
  page?: number;
}

export const activityPageSize = 50;
export const activityQuery = ({ page = 1, ...search }: ActivitySearch) =>
  queryOptions({
    ...query("/api/user/audit-log", { limit: activityPageSize, page, ...search }),
    placeholderData: keepPreviousData,
  });

export const changeProfile = (body: { name?: string; username?: string }) =>
  dataOf(api.PATCH("/api/user/profile", { body }));

export const changePassword = (body: { currentPassword: string; newPassword: string }) =>
  ok(api.POST("/api/user/password", { body }));

/** Mails a link by which its owner sets the password of an account. */
export const forgotPassword = (email: string) =>
  ok(api.POST("/api/auth/password/forgot", { body: { email } }));

export const changeEmail = (body: { email: string; password?: string }) =>
  dataOf(api.POST("/api/user/email", { body }));

export const resendConfirmation = () => ok(api.POST("/api/user/email/resend"));

export const deleteAccount = (body: { password?: string }) => ok(api.DELETE("/api/user/account", { body }));

export const endSession = (id: string) =>
  ok(api.DELETE("/api/user/sessions/{id}", { params: { path: { id } } }));

export const endOtherSessions = () => ok(api.DELETE("/api/user/sessions"));

export const createToken = (body: NewToken) => dataOf(api.POST("/api/user/tokens", { body }));

export const revokeToken = (id: string) =>
  ok(api.DELETE("/api/user/tokens/{id}", { params: { path: { id } } }));

export const revokeGrant = (id: string) =>
  ok(api.DELETE("/api/user/grants/{id}", { params: { path: { id } } }));
