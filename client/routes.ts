/** The methods of the auth surface and what they take and answer. Written by `npm run schema` from the route rows (auth/features). */

/** Each method's route. */
export const routes = {
  signUp: ['POST', '/sign-up/email'],
  signIn: ['POST', '/sign-in/email'],
  verifyEmail: ['GET', '/verify-email'],
  disownAccount: ['POST', '/disown-account'],
  sendVerificationEmail: ['POST', '/send-verification-email'],
  forgetPassword: ['POST', '/forget-password'],
  resetPassword: ['POST', '/reset-password'],
  changePassword: ['POST', '/change-password'],
  updateUser: ['POST', '/update-user'],
  requestEmailChange: ['POST', '/request-email-change'],
  confirmEmailChange: ['POST', '/confirm-email-change'],
  stopEmailChange: ['POST', '/stop-email-change'],
  deleteAccount: ['POST', '/delete-account'],
  confirmDeleteAccount: ['POST', '/confirm-delete-account'],
  getSession: ['GET', '/get-session'],
  signOut: ['POST', '/sign-out'],
  token: ['POST', '/token'],
  jwks: ['GET', '/jwks'],
  listSessions: ['GET', '/list-sessions'],
  revokeSession: ['POST', '/revoke-session'],
  revokeOtherSessions: ['POST', '/revoke-other-sessions'],
  removePassword: ['POST', '/remove-password'],
  signInMethods: ['GET', '/sign-in/methods'],
  signInOidc: ['POST', '/sign-in/oidc'],
  listProviders: ['GET', '/list-providers'],
  listEvents: ['GET', '/list-events'],
  twoFactor: {
    status: ['GET', '/two-factor/status'],
    enable: ['POST', '/two-factor/enable'],
    verifyTotp: ['POST', '/two-factor/verify-totp'],
    verifyBackupCode: ['POST', '/two-factor/verify-backup-code'],
    generateBackupCodes: ['POST', '/two-factor/generate-backup-codes'],
    disable: ['POST', '/two-factor/disable'],
  },
  passkey: {
    generateRegisterOptions: ['POST', '/passkey/generate-register-options'],
    verifyRegistration: ['POST', '/passkey/verify-registration'],
    generateAuthenticateOptions: ['POST', '/passkey/generate-authenticate-options'],
    verifyAuthentication: ['POST', '/passkey/verify-authentication'],
    list: ['GET', '/passkey/list'],
    update: ['POST', '/passkey/update'],
    delete: ['POST', '/passkey/delete'],
    require: ['POST', '/passkey/require'],
  },
  callback: {
    oidc: ['GET', '/callback/oidc'],
  },
  organization: {
    create: ['POST', '/organization/create'],
    list: ['GET', '/organization/list'],
    get: ['GET', '/organization/get'],
    update: ['PATCH', '/organization/update'],
    delete: ['DELETE', '/organization/delete'],
    setActive: ['POST', '/organization/set-active'],
    listMembers: ['GET', '/organization/list-members'],
    updateMemberRole: ['PATCH', '/organization/update-member-role'],
    removeMember: ['POST', '/organization/remove-member'],
    leave: ['POST', '/organization/leave'],
    transferOwnership: ['POST', '/organization/transfer-ownership'],
    inviteMember: ['POST', '/organization/invite-member'],
    acceptInvitation: ['POST', '/organization/accept-invitation'],
    rejectInvitation: ['POST', '/organization/reject-invitation'],
    cancelInvitation: ['POST', '/organization/cancel-invitation'],
    listInvitations: ['GET', '/organization/list-invitations'],
    getInvitation: ['GET', '/organization/get-invitation'],
    listUserInvitations: ['GET', '/organization/list-user-invitations'],
    listEvents: ['GET', '/organization/list-events'],
  },
  apiKey: {
    create: ['POST', '/api-key/create'],
    list: ['GET', '/api-key/list'],
    revoke: ['POST', '/api-key/revoke'],
  },
} as const

/** What an answer means for the session, by the path of its route. */
export const sessionEffects = {
  '/sign-up/email': 'begins',
  '/sign-in/email': 'begins',
  '/confirm-delete-account': 'ends',
  '/get-session': 'tells',
  '/sign-out': 'ends',
  '/two-factor/verify-totp': 'begins',
  '/two-factor/verify-backup-code': 'begins',
  '/passkey/verify-authentication': 'begins',
  '/callback/oidc': 'begins',
  '/organization/set-active': 'moves',
} as const

/** Something that happened in an account. */
export type AccountEvent = {
  id: string
  kind: 'signed_in' | 'sessions_revoked' | 'password_changed' | 'password_removed' | 'email_changed' | 'two_factor_enabled' | 'two_factor_disabled' | 'backup_codes_created' | 'backup_codes_voided' | 'device_trusted' | 'passkey_added' | 'passkey_deleted' | 'passkey_required' | 'passkey_not_required' | 'api_key_created' | 'api_key_revoked' | 'account_linked' | 'account_unlinked'
  happened_at: string
  /** null where it was done without a request. */
  ip_address: string | null
  user_agent: string | null
  /** Of a sign-in: whether there was none before of this program in this network. */
  new_device?: boolean | undefined
  /** What was added or removed, where it has a name. */
  name?: string | undefined
  email?: string | undefined
  previous_email?: string | undefined
}

/** A key of a program. */
export type ApiKey = {
  id: string
  name: string
  /** How the key begins. */
  hint: string
  /** The team whose rows it reaches; null for the personal ones. */
  organization_id: string | null
  role: 'admin' | 'editor' | 'viewer'
  created_at: string
  expires_at: string
  /** When it last got a token, to the minute; null before the first. */
  last_used_at: string | null
}

/** It is done. */
export type Done = {
  /** true */
  success: boolean
}

/** A session, and where it was begun. */
export type FullSession = {
  id: string
  user_id: string
  expires_at: string
  /** null in the personal context. */
  active_organization_id: string | null
  ip_address: string
  user_agent: string
}

/** An invitation to a team. */
export type Invitation = {
  id: string
  organization_id: string
  email: string
  role: 'admin' | 'editor' | 'viewer'
  inviter_id: string
  status: 'pending' | 'accepted' | 'rejected' | 'canceled'
  /** Seven days after it was sent. */
  expires_at: string
  created_at: string
  /** In the list of the invitations that somebody was sent. */
  organization_name?: string | undefined
}

/** An invitation, as its link tells it. */
export type InvitationOfLink = {
  id: string
  /** As mails have it: one short line in which nothing is a link. null once the invitation was declined or taken back. */
  organization_name: string | null
  /** The same of who invites; may be empty. */
  inviter_name: string | null
  role: 'admin' | 'editor' | 'viewer'
  /** Only one that is pending can be answered. */
  status: 'pending' | 'accepted' | 'rejected' | 'canceled' | 'expired'
  expires_at: string
  /** Enough of the invited address for its owner to know it. */
  email_hint: string
  /** Whether the one who asks is signed in with the invited address. */
  is_for_caller: boolean
}

/** The public half of a key that signs tokens (RFC 7517). */
export type Key = {
  kid: string
  use: string
  alg: string
  kty: string
  n: string
  e: string
}

/** Somebody at a provider of single sign-on, who signs in to the account. */
export type LinkedProvider = {
  id: string
  /** The address by which the provider says who it is. */
  issuer: string
  /** Who the person is there. */
  subject: string
  created_at: string
}

/** One of the sessions of the account. */
export type ListedSession = {
  id: string
  user_id: string
  expires_at: string
  /** null in the personal context. */
  active_organization_id: string | null
  ip_address: string
  user_agent: string
  created_at: string
  /** Whether it is the session that asks. */
  current: boolean
}

/** Somebody in a team. */
export type Member = {
  id: string
  user_id: string
  organization_id: string
  role: 'owner' | 'admin' | 'editor' | 'viewer'
  /** Who it is; in the list of members, and where the answer is about one. */
  user?: {
    id: string
    name: string
    email: string
    image: string | null
  } | undefined
  created_at: string
}

/** Something that happened to who belongs to a team. */
export type MembershipEvent = {
  id: string
  kind: 'member_joined' | 'member_left' | 'member_removed' | 'role_changed' | 'ownership_transferred'
  happened_at: string
  /** Whom it is about; null once their account is deleted. */
  user: {
    id: string
    name: string
  } | null
  /** Who did it; null where nobody is known, and once their account is deleted. */
  actor: {
    id: string
    name: string
  } | null
  /** Of who joined, and of who has another role: the new one. */
  role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined
  previous_role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined
}

/** A key that has just been made. */
export type NewApiKey = {
  id: string
  name: string
  /** How the key begins. */
  hint: string
  /** The team whose rows it reaches; null for the personal ones. */
  organization_id: string | null
  role: 'admin' | 'editor' | 'viewer'
  created_at: string
  expires_at: string
  /** When it last got a token, to the minute; null before the first. */
  last_used_at: string | null
  /** The key itself, which nobody can show again. */
  key: string
}

/** The session that sign-up began. */
export type NewSession = {
  id: string
  user_id: string
  expires_at: string
}

/** A team. */
export type Organization = {
  id: string
  name: string
  slug: string
  /** The address of a picture. */
  logo: string | null
  /** As it was sent; {} where none was. */
  metadata: { [key: string]: unknown }
  created_at: string
}

/** A team, and how many belong to it. */
export type OrganizationWithCount = {
  id: string
  name: string
  slug: string
  /** The address of a picture. */
  logo: string | null
  /** As it was sent; {} where none was. */
  metadata: { [key: string]: unknown }
  created_at: string
  members_count: number
}

/** A team, and what the caller is in it. */
export type OrganizationWithRole = {
  id: string
  name: string
  slug: string
  /** The address of a picture. */
  logo: string | null
  /** As it was sent; {} where none was. */
  metadata: { [key: string]: unknown }
  created_at: string
  role: 'owner' | 'admin' | 'editor' | 'viewer'
}

/** A passkey. */
export type Passkey = {
  id: string
  name: string
  /** Whether it is synchronized between devices, and so survives the loss of one. */
  backed_up: boolean
  created_at: string
  /** null before the first sign-in with it. */
  last_used_at: string | null
}

/** PublicKeyCredentialCreationOptionsJSON of WebAuthn. */
export type PasskeyCreation = {
  rp: {
    id: string
    name: string
  }
  user: {
    id: string
    name: string
    displayName: string
  }
  challenge: string
  pubKeyCredParams: {
    type: 'public-key'
    alg: number
  }[]
  timeout: number
  excludeCredentials: {
    type: 'public-key'
    id: string
  }[]
  authenticatorSelection: {
    residentKey: 'required'
    requireResidentKey: boolean
    userVerification: 'required'
  }
  attestation: 'none'
}

/** PublicKeyCredentialRequestOptionsJSON of WebAuthn. */
export type PasskeyRequest = {
  challenge: string
  rpId: string
  timeout: number
  userVerification: 'required'
}

/** A session and the context it works in. */
export type Session = {
  id: string
  user_id: string
  expires_at: string
  /** null in the personal context. */
  active_organization_id: string | null
}

/** How one signs in here. */
export type SignInMethods = {
  /** true */
  password: boolean
  /** Who may make an account, as `SIGN_UP` says. */
  sign_up: 'open' | 'invitation' | 'closed'
  /** The provider of single sign-on; null without one. */
  oidc: {
    /** What people call the provider. */
    name: string
    /** Whether who has no account is given one by it. */
    sign_up: boolean
  } | null
}

/** What the person has paid for. */
export type SubscriptionStatus = {
  isSubscribed: boolean
  /** The product of the active plan; null without one. */
  productId: string | null
}

/** It is done, and a sentence for the person. */
export type Told = {
  /** true */
  success: boolean
  message: string
}

/** A team after its change. */
export type UpdatedOrganization = {
  id: string
  name: string
  slug: string
  /** The address of a picture. */
  logo: string | null
  /** As it was sent; {} where none was. */
  metadata: { [key: string]: unknown }
  created_at: string
  updated_at: string
}

/** An account. */
export type User = {
  id: string
  email: string
  name: string
  /** false until the link of the verification mail is opened. */
  email_verified: boolean
  created_at: string
  updated_at: string
}

/** An account with its picture. */
export type UserWithImage = {
  id: string
  email: string
  name: string
  /** false until the link of the verification mail is opened. */
  email_verified: boolean
  created_at: string
  updated_at: string
  image: string | null
}

/** Each throws a FinanceError when it fails. */
export type Auth = {
  /** Creates an account, begins a session, and mails a link that verifies the address. */
  signUp: (input: {
    email: string
    password: string
    name?: string | undefined
  }) => Promise<{
    user: User
    session: NewSession
  }>
  /** Begins a session. An address that is not verified is mailed a new link. */
  signIn: (input: {
    email: string
    password: string
  }) => Promise<{
    user: User
    session: Session
    subscription: SubscriptionStatus
  }>
  /** Verifies an address with the token of the mail. */
  verifyEmail: (input: {
    token: string
  }) => Promise<Told>
  /** Deletes an account that somebody else made with one's address, with the token of the mail. */
  disownAccount: (input: {
    token: string
  }) => Promise<Told>
  /** Mails a new link that verifies the address. */
  sendVerificationEmail: (input: {
    email: string
  }) => Promise<Told>
  /** Mails a link to choose a new password. */
  forgetPassword: (input: {
    email: string
    /** Where the mailed link leads: a page of a trusted origin; at that of `APP_URL`, below its path. */
    redirectTo?: string | undefined
  }) => Promise<Told>
  /** Sets a new password with the token of the mail, and ends every session and API key of the account. */
  resetPassword: (input: {
    token: string
    password: string
  }) => Promise<Told>
  /** Changes the password of who is signed in, and ends the other sessions unless told not to. */
  changePassword: (input: {
    currentPassword: string
    newPassword: string
    revokeOtherSessions?: boolean | undefined
  }) => Promise<Done>
  /** Changes the name or the picture of who is signed in. */
  updateUser: (input: {
    name?: string | undefined
    image?: string | null | undefined
  }) => Promise<{
    user: UserWithImage
  }>
  /** Mails the new address of who is signed in a link that confirms it, and tells the old one, which can stop it. */
  requestEmailChange: (input: {
    newEmail: string
    /** May be left out within ten minutes of a sign-in. */
    password?: string | undefined
  }) => Promise<Told>
  /** Gives an account its new address, with the token of the mail. */
  confirmEmailChange: (input: {
    token: string
  }) => Promise<Told>
  /** Keeps the old address of an account or brings it back, with the token of the mail to it. */
  stopEmailChange: (input: {
    token: string
  }) => Promise<Told>
  /** Mails who is signed in a link that deletes the account, and tells what becomes of their organizations. */
  deleteAccount: (input: {
    /** May be left out within ten minutes of a sign-in. */
    password?: string | undefined
  }) => Promise<{
    /** true */
    success: boolean
    message: string
    /** Those that the person owns. */
    organizations: ({
      id: string
      name: string
      /** Who owns it then; null where nobody is left in it. */
      successor: {
        id: string
        name: string
      } | null
    })[]
  }>
  /** Deletes the account of who is signed in, with the token of the mail. */
  confirmDeleteAccount: (input: {
    token: string
  }) => Promise<Told>
  /** Says who is signed in, in which session, and with which plan. */
  getSession: () => Promise<{
    user: User
    session: FullSession
    subscription: SubscriptionStatus
  }>
  /** Ends the session. Its tokens end with it. */
  signOut: () => Promise<Done>
  /** Issues a token for the data surface, valid for an hour. */
  token: () => Promise<{
    /** A JSON Web Token, valid for an hour. */
    token: string
  }>
  /** Publishes the keys that verify tokens. */
  jwks: () => Promise<{
    keys: Key[]
  }>
  /** Lists the sessions of who is signed in. */
  listSessions: () => Promise<ListedSession[]>
  /** Ends one session of who is signed in. */
  revokeSession: (input: {
    sessionId: string
  }) => Promise<Done>
  /** Ends all sessions of who is signed in, except the one that asks. */
  revokeOtherSessions: () => Promise<Done>
  /** Removes the password of who is signed in, who signs in with a passkey from then on. */
  removePassword: (input: {
    /** May be left out within ten minutes of a sign-in. */
    password?: string | undefined
  }) => Promise<Done>
  /** Says how one signs in here, and who may make an account. */
  signInMethods: () => Promise<SignInMethods>
  /** Begins a sign-in with the provider, and says where the browser is to be sent. */
  signInOidc: (input: {
    /** Where the browser goes on to: a page of a trusted origin; at that of `APP_URL`, below its path. */
    redirectTo?: string | undefined
  }) => Promise<{
    /** At the provider. */
    url: string
  }>
  /** Lists who at a provider signs in to the account of who is signed in. */
  listProviders: () => Promise<LinkedProvider[]>
  /** Lists what happened in the account of who is signed in, newest first: sign-ins, and whatever opens the account. */
  listEvents: (input: {
    limit?: number | undefined
    /** The last event of the list before: what follows is older. */
    before?: string | undefined
  }) => Promise<AccountEvent[]>
  twoFactor: {
    /** Says whether who is signed in has two factors, and how many backup codes are left. */
    status: () => Promise<{
      enabled: boolean
      backup_codes_left: number
    }>
    /** Begins to set up two factors: what an authenticator app is told, and ten backup codes. */
    enable: (input: {
      /** May be left out within ten minutes of a sign-in. */
      password?: string | undefined
    }) => Promise<{
      /** For a QR code; `secret` in its query is what a person types instead. */
      totp_uri: string
      /** Each works once. They are not shown again. */
      backup_codes: string[]
    }>
    /** Finishes a sign-in with a code of the authenticator app; of who is signed in, it turns two factors on. */
    verifyTotp: (input: {
      code: string
      /** Whether this browser signs in without a code for 30 days. */
      trustDevice?: boolean | undefined
    }) => Promise<{
      user: User
      session: Session
      subscription: SubscriptionStatus
    }>
    /** Finishes a sign-in with a backup code, which works once. */
    verifyBackupCode: (input: {
      code: string
      /** Whether this browser signs in without a code for 30 days. */
      trustDevice?: boolean | undefined
    }) => Promise<{
      user: User
      session: Session
      subscription: SubscriptionStatus
    }>
    /** Makes ten new backup codes. The old ones are none any more. */
    generateBackupCodes: (input: {
      /** May be left out within ten minutes of a sign-in. */
      password?: string | undefined
    }) => Promise<{
      /** Each works once. They are not shown again. */
      backup_codes: string[]
    }>
    /** Turns two factors off. No device is remembered any more. */
    disable: (input: {
      /** May be left out within ten minutes of a sign-in. */
      password?: string | undefined
    }) => Promise<Done>
  }
  passkey: {
    /** Begins to add a passkey to the account of who is signed in. */
    generateRegisterOptions: (input: {
      /** May be left out within ten minutes of a sign-in. */
      password?: string | undefined
    }) => Promise<PasskeyCreation>
    /** Adds the passkey that the device has made. */
    verifyRegistration: (input: {
      response: {
        id: string
        rawId: string
        type: 'public-key'
        response: {
          clientDataJSON: string
          attestationObject: string
        }
      }
      name?: string | undefined
    }) => Promise<Passkey>
    /** Begins to sign in with a passkey. */
    generateAuthenticateOptions: () => Promise<PasskeyRequest>
    /** Begins a session with a passkey, whose device has verified its person: no other factor is asked for. */
    verifyAuthentication: (input: {
      response: {
        id: string
        rawId: string
        type: 'public-key'
        response: {
          clientDataJSON: string
          authenticatorData: string
          signature: string
          userHandle: string
        }
      }
    }) => Promise<{
      user: User
      session: Session
      subscription: SubscriptionStatus
    }>
    /** Lists the passkeys of who is signed in, and says whether a sign-in asks for one. */
    list: () => Promise<{
      passkeys: Passkey[]
      /** Whether the password alone no longer signs in. */
      required: boolean
      /** false where no password signs in at all. */
      has_password: boolean
    }>
    /** Gives a passkey another name. */
    update: (input: {
      passkeyId: string
      name: string
    }) => Promise<Passkey>
    /** Deletes a passkey. With the last one ends that one is asked for. */
    delete: (input: {
      passkeyId: string
      /** May be left out within ten minutes of a sign-in. */
      password?: string | undefined
    }) => Promise<Done>
    /** Says whether the password alone still signs in. */
    require: (input: {
      required: boolean
      /** May be left out within ten minutes of a sign-in. */
      password?: string | undefined
    }) => Promise<Done>
  }
  callback: {
    /** Begins a session with what the provider sends the browser back with. */
    oidc: (input: {
      /** Of the provider. */
      state?: string | undefined
      /** Of the provider. */
      code?: string | undefined
      /** Of the provider. */
      iss?: string | undefined
      /** Of the provider. */
      error?: string | undefined
    }) => Promise<{
      user: User
      session: Session
      subscription: SubscriptionStatus
    }>
  }
  organization: {
    /** Creates an organization, whose owner is who is signed in. */
    create: (input: {
      name: string
      slug?: string | undefined
      logo?: string | null | undefined
      /** Any object of up to 16 levels and 16 KiB. */
      metadata?: { [key: string]: unknown } | undefined
    }) => Promise<Organization>
    /** Lists the organizations of who is signed in, each with their role. */
    list: () => Promise<OrganizationWithRole[]>
    /** Reads an organization, with how many belong to it. */
    get: (input: {
      organizationId: string
    }) => Promise<OrganizationWithCount>
    /** Changes an organization. Owners and admins may. */
    update: (input: {
      organizationId: string
      name?: string | undefined
      slug?: string | undefined
      logo?: string | null | undefined
      /** Any object of up to 16 levels and 16 KiB. */
      metadata?: { [key: string]: unknown } | undefined
    }) => Promise<UpdatedOrganization>
    /** Deletes an organization with all its data. Its owner may. */
    delete: (input: {
      organizationId: string
    }) => Promise<{
      /** true */
      success: boolean
      organization: Organization
    }>
    /** Chooses the context of the session: an organization, or with null the personal one. */
    setActive: (input: {
      organizationId: string | null
    }) => Promise<{
      session: {
        id: string
        /** null in the personal context. */
        active_organization_id: string | null
      }
    }>
    /** Lists who belongs to an organization. */
    listMembers: (input: {
      organizationId: string
    }) => Promise<Member[]>
    /** Gives a member another role. Owners and admins may. */
    updateMemberRole: (input: {
      organizationId: string
      userId: string
      role: 'admin' | 'editor' | 'viewer'
    }) => Promise<{
      /** true */
      success: boolean
      member: Member
    }>
    /** Removes somebody from an organization. Owners and admins may. */
    removeMember: (input: {
      organizationId: string
      userId: string
    }) => Promise<{
      /** true */
      success: boolean
      member: Member
    }>
    /** Leaves an organization. Its owner transfers the ownership first. */
    leave: (input: {
      organizationId: string
    }) => Promise<{
      /** true */
      success: boolean
      member: Member
    }>
    /** Makes a member the owner, and the owner an admin. */
    transferOwnership: (input: {
      organizationId: string
      userId: string
    }) => Promise<{
      /** true */
      success: boolean
      member: Member
    }>
    /** Invites somebody by mail. Owners and admins may. */
    inviteMember: (input: {
      organizationId: string
      email: string
      role: 'admin' | 'editor' | 'viewer'
    }) => Promise<Invitation>
    /** Accepts an invitation that was sent to one's own address. */
    acceptInvitation: (input: {
      invitationId: string
    }) => Promise<{
      /** true */
      success: boolean
      invitation: Invitation
      member?: Member | undefined
    }>
    /** Declines an invitation that was sent to one's own address. */
    rejectInvitation: (input: {
      invitationId: string
    }) => Promise<{
      /** true */
      success: boolean
      invitation: Invitation
    }>
    /** Takes an invitation back. Owners and admins may. */
    cancelInvitation: (input: {
      invitationId: string
    }) => Promise<{
      /** true */
      success: boolean
      invitation: Invitation
    }>
    /** Lists the invitations of an organization. Owners and admins may. */
    listInvitations: (input: {
      organizationId: string
    }) => Promise<Invitation[]>
    /** Tells what an invitation is, to whoever has the link of its mail, signed in or not. */
    getInvitation: (input: {
      invitationId: string
    }) => Promise<InvitationOfLink>
    /** Lists the invitations that wait for who is signed in. */
    listUserInvitations: () => Promise<Invitation[]>
    /** Lists who joined, left and was removed, and whose role changed, newest first. Owners and admins may. */
    listEvents: (input: {
      organizationId: string
      limit?: number | undefined
      /** The last event of the list before: what follows is older. */
      before?: string | undefined
    }) => Promise<MembershipEvent[]>
  }
  apiKey: {
    /** Makes a key with which a program of who is signed in gets tokens, and shows it this once. */
    create: (input: {
      name: string
      expiresInDays: number
      /** The team whose rows it reaches; null for the personal ones. */
      organizationId?: string | null | undefined
      /** `viewer` only reads. In the personal context there is no `admin`. */
      role?: 'admin' | 'editor' | 'viewer' | undefined
      /** May be left out within ten minutes of a sign-in. */
      password?: string | undefined
    }) => Promise<NewApiKey>
    /** Lists the keys of who is signed in, those of all contexts. */
    list: () => Promise<ApiKey[]>
    /** Ends a key of who is signed in, and its tokens with it. */
    revoke: (input: {
      keyId: string
    }) => Promise<Done>
  }
}
