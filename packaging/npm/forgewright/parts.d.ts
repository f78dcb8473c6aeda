/**
 * The clock of a world. Everything that depends on the time follows it immediately: the expiry of tokens, rate limits,
 * iterations, retries of webhooks and every date in a response.
 */
export interface Clock {
  /** Returns the clock. It follows the system clock unless it was changed. */
  get(): Promise<WorldClock>;
  /**
   * Freezes the clock.
   * @param at The time to set. If omitted, the clock stops at its current time.
   */
  freeze(at?: Date | string): Promise<WorldClock>;
  /** Unfreezes the clock. It continues from the time at which it was frozen. */
  unfreeze(): Promise<WorldClock>;
  /**
   * Sets the clock.
   * @param at The time to set, between 1970 and 9999. A string is a date and time in ISO 8601.
   */
  set(at: Date | string): Promise<WorldClock>;
  /**
   * Advances the clock.
   * @param by The number of seconds, or an object such as `{ hours: 1 }`. Negative to set the clock back. The sum is
   * rounded to whole seconds.
   * @throws {TypeError} If a unit is unknown or an amount is not a number.
   */
  advance(by: number | { days?: number; hours?: number; minutes?: number; seconds?: number }): Promise<WorldClock>;
  /** Sets the clock back to the system clock. */
  release(): Promise<WorldClock>;
}

/** The state of a clock. */
export interface WorldClock {
  /** The current time of the world. */
  now: string;
  /** Whether the clock is frozen. */
  frozen: boolean;
  /** The number of seconds by which the clock is ahead of the system clock. Negative if it is behind. */
  offset: number;
}

/** The options of `wait`. */
export interface WaitOptions {
  /** The maximum time to wait, in milliseconds. Default: 4,000, less than the limit of Vitest and Jest for a test. */
  timeout?: number;
}

/** The requests to a world, with explanations of their responses. The journal keeps at most the last 1,000 requests. */
export interface Journal {
  /**
   * Returns the matching requests, the newest first.
   * @throws {TypeError} If a filter is unknown.
   */
  list(filter?: JournalFilter): Promise<JournalEntry[]>;
  /**
   * Returns one request.
   * @param id The number of the request in the journal, or its request ID.
   */
  get(id: number | string): Promise<JournalEntry>;
  /**
   * Returns the newest matching request. If there is none, waits for one.
   * @throws {ForgewrightError} If no request matches in that time. The message lists the latest requests.
   * @throws {TypeError} If a filter or an option is unknown.
   */
  wait(filter?: JournalFilter, options?: WaitOptions): Promise<JournalEntry>;
  /**
   * Explains the response to a request.
   * @param request The number of the request in the journal, its request ID, the response, or the error that Octokit
   * threw.
   */
  explain(request: number | string | object): Promise<Explanation>;
  /** Deletes all entries. The numbering continues. */
  clear(): Promise<void>;
}

/** Selects requests. A request matches if it meets all given conditions. */
export interface JournalFilter {
  /** The HTTP method. */
  method?: string;
  /** The start of the path, or a pattern with `*` (any part of a segment) and `**` (any part of the path). */
  path?: string;
  /** The `operationId` of the operation, such as `create_ref`. */
  operation?: string;
  /** The status or status class, such as `404` or `4xx`. */
  status?: number | string;
  /**
   * The caller: a kind such as `installation`, a login, the slug of an app, the identifier of an installation, or a
   * token as shown in the journal.
   */
  caller?: string | number;
  /** Only requests after the one with this number. */
  after?: number;
  /** The maximum number of results. */
  per_page?: number;
}

/** A request, its response and the explanation of the response. */
export interface JournalEntry {
  /** The number of the entry in the journal. The response has it in `X-Forgewright-Journal`. */
  id: number;
  /** The identifier of the request. The response has it in `X-GitHub-Request-Id`. */
  request_id: string;
  /** When the request was made. */
  at: string;
  /** The time until the response began, in microseconds. */
  microseconds: number;
  /** The HTTP method in upper case. */
  method: string;
  /** The path and query of the request, relative to the URL of the world. */
  path: string;
  /** The `operationId` of the called operation. `null` if the path has none. */
  operation: string | null;
  /** The caller of the request. */
  caller: {
    /** `anonymous`, `classic`, `oauth`, `fine_grained`, `app_user`, `installation`, `app` or `unknown`. */
    kind: string;
    /** The login of the user on whose behalf the request was made. */
    login: string | null;
    /** The identifier of the app. */
    app_id: number | null;
    /** The slug of the app. */
    app_slug: string | null;
    /** The identifier of the installation that the token belongs to. */
    installation_id: number | null;
    /** The kind and the last characters of the token. */
    token: string | null;
  };
  /** The HTTP status of the response. */
  status: number;
  /** Whether the response came from the cache. `null` if the request is not cacheable. */
  cache: "hit" | "miss" | null;
  /** The headers and the body of the request. */
  request: JournalMessage;
  /** The headers and the body of the response. */
  answer: JournalMessage;
  /** The explanation of the response. */
  explanation: Explanation;
}

/** The headers and the body of a request or a response. */
export interface JournalMessage {
  /** The headers in the order in which they were sent, with names in lower case. Credentials are masked. */
  headers: { name: string; value: string }[];
  /** The size of the body, and its beginning as text. `truncated` if the journal does not have all of it. */
  body: { bytes: number; text: string | null; truncated: boolean };
}

/** The decisions about a request, in order. */
export interface Explanation {
  /** The whole explanation in one line. */
  line: string;
  /** The decisions. */
  steps: {
    /** The kind of check. */
    check: string;
    /** What the check was applied to, such as `repository acme/secret`. */
    subject: string;
    /** What the request needs to pass the check. */
    needed: string | null;
    /** What the check found. */
    found: string | null;
    /** `refused`: the response has the reason. `hidden`: as if the resource did not exist. */
    outcome: "passed" | "refused" | "hidden";
    /** The decision as text. */
    sentence: string;
    /** The changes that would let the same request pass the check. Any one of them suffices. */
    advice: { action: string; target: string; value: string; sentence: string }[];
  }[];
}

/** The faults of a world: rules that make requests fail. The first fault that applies determines the outcome. */
export interface Faults {
  /**
   * Adds a fault.
   * @throws {ForgewrightError} If the fault is invalid.
   */
  add(fault: NewFault): Promise<Fault>;
  /** Returns all faults, in the order of their creation. */
  list(): Promise<Fault[]>;
  /** Returns one fault and how often it was used. */
  get(id: number): Promise<Fault>;
  /** Deletes one fault. */
  delete(id: number): Promise<void>;
  /** Deletes all faults. */
  clear(): Promise<void>;
}

/** A new fault: which requests fail, how often and how. */
export interface NewFault {
  /**
   * The effect of the fault.
   * - `status`: a response with `status` and GitHub's body for it.
   * - `secondary_limit`: the secondary rate limit, with `Retry-After`.
   * - `primary_limit`: the primary rate limit, exhausted until `X-RateLimit-Reset`.
   * - `latency`: the usual response, delayed by `latency_ms`.
   * - `drop`: the connection is closed without a response.
   * - `truncate`: the connection is closed in the middle of the body.
   * - `malformed`: a complete response whose JSON is cut off.
   */
  effect: "status" | "secondary_limit" | "primary_limit" | "latency" | "drop" | "truncate" | "malformed";
  /** The `operationId` of the operation, such as `create_ref`. If omitted, all operations. */
  operation?: string;
  /** The HTTP method. If omitted, all methods. */
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** The pattern of the paths. `*` matches any part of a segment, `**` any part of the path. If omitted, all paths. */
  path?: string;
  /** The login of a user, the slug of an app, or a kind of caller such as `installation`. If omitted, all callers. */
  caller?: string;
  /** The probability with which the fault is used for a matching request: above 0 and at most 1. If omitted, 1. */
  probability?: number;
  /** The number of matching requests that pass before the fault is first used. If omitted, 0. */
  skip?: number;
  /** The maximum number of times that the fault is used. If omitted, there is no limit. */
  times?: number;
  /** The HTTP status of the response, from 400 to 599. Required for the effect `status`. */
  status?: number;
  /** The message of the response. If omitted, GitHub's message. Only for the effect `status`. */
  message?: string;
  /** The value of `Retry-After`, in seconds. Only for the effects `secondary_limit` (60 if omitted) and `status`. */
  retry_after?: number;
  /** The number of seconds until the rate limit resets. Only for the effect `primary_limit`. If omitted, 3600. */
  reset_after?: number;
  /** The delay of the response, in milliseconds. Required for the effect `latency`, optional for all others. */
  latency_ms?: number;
  /** Whether the request is processed before it fails, so that only its response is lost. */
  after?: boolean;
}

type OrNull<T> = { [Key in keyof T]-?: Exclude<T[Key], undefined> | null };

/** A fault, and how often it was used. */
export interface Fault extends OrNull<Omit<NewFault, "effect" | "probability" | "skip" | "latency_ms" | "after">> {
  /** The identifier of the fault. */
  id: number;
  /** The effect of the fault. */
  effect: NewFault["effect"];
  /** The probability with which the fault is used for a matching request. */
  probability: number;
  /** The number of matching requests that pass before the fault is first used. */
  skip: number;
  /** The delay of the response, in milliseconds. */
  latency_ms: number;
  /** Whether the request is processed before it fails. */
  after: boolean;
  /** The number of matching requests, including those that passed. */
  matched: number;
  /** The number of times that the fault was used. */
  used: number;
  /** When the fault was last used. `null` if it never was. */
  last_used_at: string | null;
  /** When the fault was created. */
  created_at: string;
}

/** The webhook deliveries of a world, to all apps. */
export interface Deliveries {
  /**
   * Returns the matching deliveries, the newest first, with one entry per attempt.
   * @throws {TypeError} If a filter is unknown.
   */
  list(filter?: DeliveryFilter): Promise<Delivery[]>;
  /** Returns one delivery with its full payload. */
  get(id: number): Promise<Delivery>;
  /**
   * Returns the newest matching delivery. If there is none, waits for one.
   * @throws {ForgewrightError} If no delivery matches in that time. The message lists the latest deliveries.
   * @throws {TypeError} If a filter or an option is unknown.
   */
  wait(filter?: DeliveryFilter, options?: WaitOptions): Promise<Delivery>;
  /**
   * Sends a webhook again, to the current webhook URL of the app, and returns the new delivery.
   * @param delivery A delivery or its `id`.
   */
  redeliver(delivery: number | Delivery): Promise<Delivery>;
  /** Pauses the delivery of webhooks. They stay pending until `resume`. */
  pause(): Promise<void>;
  /** Resumes the delivery of webhooks and sends the pending ones. */
  resume(): Promise<void>;
}

/** Selects deliveries. A delivery matches if it meets all given conditions. */
export interface DeliveryFilter {
  /** The name of the event, such as `push`. */
  event?: string;
  /** The action of the event, such as `opened`. */
  action?: string;
  /** The slug of the app that receives the webhook. */
  app?: string;
  /** The status of the delivery. */
  status?: Delivery["status"];
  /** Only deliveries with an `id` greater than this. */
  after?: number;
  /** Only deliveries with an `id` less than this. */
  before?: number;
  /** The maximum number of results. */
  per_page?: number;
}

/** An attempt to deliver a webhook. */
export interface Delivery {
  /** The identifier of the delivery. */
  id: number;
  /** The identifier of the event. It is the same for every app that receives the event, and for redeliveries. */
  guid: string;
  /** The slug of the app that receives the webhook. */
  app: string;
  /** The name of the event. */
  event: string;
  /** The action of the event. `null` for events without actions. */
  action: string | null;
  /** The identifier of the installation. `null` for events about the app itself. */
  installation_id: number | null;
  /** The identifier of the repository. `null` for events that are not about one repository. */
  repository_id: number | null;
  /**
   * The status of the delivery.
   * - `pending`: not sent yet, or being sent.
   * - `delivered`: the receiver responded with a status from 200 to 299.
   * - `failed`: the receiver could not be reached or responded with another status.
   * - `recorded`: not sent, because the app has no webhook URL.
   */
  status: "pending" | "delivered" | "failed" | "recorded";
  /** Whether the delivery is a redelivery. */
  redelivery: boolean;
  /** The number of the attempt, starting at 1. The server's automatic retries increase it. */
  attempt: number;
  /** When the delivery was created. */
  created_at: string;
  /** When a pending delivery is due. `null` if the delivery is not pending. */
  next_attempt_at: string | null;
  /** When the attempt ended. `null` until then. */
  delivered_at: string | null;
  /** The duration of the attempt, in milliseconds. `null` until it ends. */
  duration_ms: number | null;
  /** Why the attempt failed. `null` if it did not. */
  error: string | null;
  /** The request. `url` and `headers` are `null` before the attempt. Lists omit payloads larger than 64 KiB. */
  request: { url: string | null; headers: Record<string, string> | null; payload: any };
  /** The response of the receiver. `null` if there is none. */
  response: { status: number; headers: Record<string, string>; body: string } | null;
}

/** The saved states of a world. */
export interface Snapshots {
  /**
   * Saves the current state of the world. Replaces an existing snapshot of that name.
   * @param name The name of the snapshot. `loaded` is the snapshot that `reset` restores.
   */
  make(name: string): Promise<Snapshot>;
  /** Returns all snapshots, ordered by name. */
  list(): Promise<Snapshot[]>;
  /**
   * Restores the state of a snapshot. Also resets the rate limits and the clock, deletes the faults and the journal,
   * cancels deliveries in progress and resumes paused ones.
   */
  restore(name: string): Promise<void>;
  /** Deletes a snapshot. */
  delete(name: string): Promise<void>;
}

/** A saved state of a world. */
export interface Snapshot {
  /** The name of the snapshot. */
  name: string;
  /** When the snapshot was created, by the system clock. */
  created_at: string;
  /** The size of the snapshot, in bytes. */
  bytes: number;
}
