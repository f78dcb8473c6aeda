"""A bot that answers each question in the review comments of a pull request once."""

from github.PullRequest import PullRequest


def answer_questions(pull: PullRequest) -> int:
    """Answers the questions without a reply and returns their number."""
    comments = list(pull.get_review_comments())
    answered = {comment.in_reply_to_id for comment in comments}
    questions = [
        comment
        for comment in comments
        if comment.body.endswith("?") and not comment.in_reply_to_id and comment.id not in answered
    ]
    for question in questions:
        pull.create_review_comment_reply(question.id, "Good question!")
    return len(questions)
