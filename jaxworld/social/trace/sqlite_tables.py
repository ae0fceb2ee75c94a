"""Tables of the SQLite export: those of OASIS (commit 46cdc8d), and what OASIS does not record."""

from __future__ import annotations

OASIS_TABLES = """
CREATE TABLE user (user_id INTEGER PRIMARY KEY, agent_id INTEGER, user_name TEXT, name TEXT, bio TEXT,
    created_at DATETIME, num_followings INTEGER DEFAULT 0, num_followers INTEGER DEFAULT 0);
CREATE TABLE post (post_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER, original_post_id INTEGER,
    content TEXT DEFAULT '', quote_content TEXT, created_at DATETIME, num_likes INTEGER DEFAULT 0,
    num_dislikes INTEGER DEFAULT 0, num_shares INTEGER DEFAULT 0, num_reports INTEGER DEFAULT 0);
CREATE TABLE comment (comment_id INTEGER PRIMARY KEY AUTOINCREMENT, post_id INTEGER, user_id INTEGER, content TEXT,
    created_at DATETIME, num_likes INTEGER DEFAULT 0, num_dislikes INTEGER DEFAULT 0);
CREATE TABLE "like" (like_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER, post_id INTEGER, created_at DATETIME);
CREATE TABLE dislike (dislike_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER, post_id INTEGER,
    created_at DATETIME);
CREATE TABLE comment_like (comment_like_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER, comment_id INTEGER,
    created_at DATETIME);
CREATE TABLE comment_dislike (comment_dislike_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER,
    comment_id INTEGER, created_at DATETIME);
CREATE TABLE follow (follow_id INTEGER PRIMARY KEY AUTOINCREMENT, follower_id INTEGER, followee_id INTEGER,
    created_at DATETIME);
CREATE TABLE rec (user_id INTEGER, post_id INTEGER, PRIMARY KEY (user_id, post_id));
CREATE TABLE trace (user_id INTEGER, created_at DATETIME, action TEXT, info TEXT);
"""
OUR_TABLES = """
CREATE TABLE stimulus (stimulus_id TEXT PRIMARY KEY, tick INTEGER, author TEXT, kind TEXT, text TEXT, claim_id TEXT,
    in_reply_to TEXT, post_id INTEGER, comment_id INTEGER);
CREATE TABLE exposure (tick INTEGER, channel TEXT, user_id INTEGER, persona_id TEXT, impression_id TEXT, rank INTEGER,
    stimulus_id TEXT, reason TEXT, attention REAL, likes INTEGER, reposts INTEGER, replies INTEGER, upvotes INTEGER,
    downvotes INTEGER, tie_strength REAL, shared_community INTEGER, via_persona_id TEXT);
CREATE TABLE dropped (tick INTEGER, channel TEXT, user_id INTEGER, persona_id TEXT, stimulus_id TEXT, reason TEXT);
CREATE TABLE intervention (tick INTEGER, kind TEXT);
CREATE TABLE rejection (tick INTEGER, channel TEXT, user_id INTEGER, persona_id TEXT, action TEXT);
CREATE INDEX exposure_by_persona ON exposure (persona_id, tick);
CREATE INDEX exposure_by_stimulus ON exposure (stimulus_id, tick);
CREATE INDEX post_by_user ON post (user_id);
CREATE INDEX trace_by_user ON trace (user_id, created_at);
"""
